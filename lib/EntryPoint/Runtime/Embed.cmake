# cmake -DINPUT=file -DOUTPUT=file.inc [-DLABELS=name] -P Embed.cmake: the bytes of INPUT as the inside of a C array
# initializer. With LABELS, INPUT is assembly that becomes a part of other modules' assembly: all its names are local and,
# as temporary labels and variables are by that name, told from the others'.
if(LABELS)
  file(READ ${INPUT} text)
  string(REGEX REPLACE "\n[ \t]*\\.(globl|hidden|file|attribute)[ \t][^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "([^A-Za-z0-9_.$])\\.L" "\\1.L${LABELS}_" text "${text}")
  # Variables of a file; functions have been told apart by clang.
  string(REGEX MATCHALL "\\.type[ \t]+[A-Za-z][A-Za-z0-9]*,@object" variables "${text}")
  foreach(variable IN LISTS variables)
    string(REGEX REPLACE "^\\.type[ \t]+|,@object$" "" variable ${variable})
    string(REGEX REPLACE "([^A-Za-z0-9_.$])${variable}([^A-Za-z0-9_.$])" "\\1${variable}.${LABELS}\\2" text "${text}")
  endforeach()
  set(INPUT ${OUTPUT}.s)
  file(WRITE ${INPUT} "${text}")
endif()
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
