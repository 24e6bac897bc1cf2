# The table in docs/interoperability.md equals the output of its script. The messages of refusals
# are those of MLIR 22, which the other versions word differently.
# RUN: cp %src_root/docs/interoperability.md %t
# RUN: %python %src_root/scripts/docs/interoperability.py %tools_dir %t
# RUN: sed -i 's/ refused: [^|]* |/ refused |/g' %t
# RUN: sed 's/ refused: [^|]* |/ refused |/g' %src_root/docs/interoperability.md | diff - %t
