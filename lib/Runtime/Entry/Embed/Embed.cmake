# cmake -DINPUT=file -DOUTPUT=file.inc -P Embed.cmake: the bytes of INPUT as the inside of a C array initializer.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
