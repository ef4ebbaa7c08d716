#!/bin/sh
# Puts a ttyd into a folder of its own, for a Debian older than the one that has it: the package of Debian sid with the
# libraries it needs, its C library included. Nothing is installed. Then: PATH=FOLDER:$PATH npm run bench
set -eu
folder=${1:?usage: get-ttyd.sh FOLDER}
# The mirror that this machine already uses.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/*$' | head -n 1)}
mirror=${mirror%/}
# By apt, with whatever it is set up with.
fetch() { /usr/lib/apt/apt-helper -q download-file "$1" "$2" >/dev/null; }
mkdir -p "$folder/root"
cd "$folder"
folder=$PWD
fetch "$mirror/dists/sid/main/binary-amd64/Packages.xz" Packages.xz
xz -dc Packages.xz >Packages
for package in ttyd libc6 libcap2 libjson-c5 libssl3t64 libuv1t64 zlib1g libwebsockets-evlib-uv libwebsockets19t64 libwebsockets20 libzstd1 libgcc-s1; do
  set -- $(awk -v RS= -v name="$package" '$2 == name' Packages | awk '/^Filename:/ { file = $2 } /^SHA256:/ { sum = $2 } END { print file, sum }')
  [ $# -eq 2 ] || continue # a name of another release of it
  fetch "$mirror/$1" one.deb
  echo "$2  one.deb" | sha256sum -c --quiet
  dpkg-deb -x one.deb root
done
rm -f one.deb Packages Packages.xz
libraries=$(find "$folder/root" -name '*.so*' -exec dirname {} + | sort -u | tr '\n' ':')
loader=$(find "$folder/root" -name 'ld-linux-x86-64.so.2' | head -n 1)
# It looks for its event loop in this variable, which the programs it starts inherit: nothing else may lie there.
mkdir -p loop
find root -name 'libwebsockets-evlib_uv.so' -exec cp {} loop/ \;
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s --library-path %s %s "$@"\n' \
  "$folder/loop" "$loader" "$libraries" "$folder/root/usr/bin/ttyd" >ttyd
chmod +x ttyd
./ttyd --version
