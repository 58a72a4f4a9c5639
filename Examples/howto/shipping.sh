#!/bin/sh
# Makes a folder with an application and its copy of the library, which runs wherever the folder is.
# Usage: shipping.sh <source of the application> <folder to make>
set -eu
source=$1 folder=$2
mkdir -p "$folder/bin" "$folder/lib"

# $ORIGIN is the folder of the program, at run time. Quote it: neither shell nor make may expand it.
# shellcheck disable=SC2046,SC2016 # the flags are several words
${CC:-cc} -std=c11 -o "$folder/bin/shop" "$source" $(pkg-config --cflags --libs crosstie) -Wl,-rpath,'$ORIGIN/../lib'

# Programs look for the library by its soname.
library=$(pkg-config --variable=libdir crosstie)/libcrosstie.so
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
cp -L "$library" "$folder/lib/$soname"
