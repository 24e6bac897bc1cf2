# The table in docs/interoperability.md equals the output of its script. MLIR 22 and later versions
# word the messages of refusals differently.
# DEFINE: %{page} = %src_root/docs/interoperability.md
# DEFINE: %{strip} = sed "s/ refused: [^|]* |/ refused |/g"
# RUN: cp %{page} %t
# RUN: %python %src_root/scripts/docs/interoperability.py %tools_dir %t
# RUN: %if llvm-at-least-23 %{ %{strip} %{page} > %t.page && %{strip} %t | diff %t.page - %} %else %{ diff %{page} %t %}
