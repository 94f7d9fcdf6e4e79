#!/bin/sh
#
# scripts/image: what is in the image, what can be built with it, and whether its
# program is at home as process 1.
#
# shellcheck disable=SC2016 # it is for another shell to expand

# SPDX-License-Identifier: MIT

. lib/harness.sh
# shellcheck source=tests/lib/stubs.sh
. "$TESTS/lib/stubs.sh"
# shellcheck source=tests/lib/crun.sh
. "$TESTS/lib/crun.sh"

crun_start 'the image is made' buildah busybox
ldd "$RETRY" 2>/dev/null | not grep -q / ||
    crun_lacks 'the program is not static'
machine=$(dpkg --print-architecture)
case $machine in
amd64) other=arm64 ;;
arm64) other=amd64 ;;
*) crun_lacks 'it is tried on amd64 and arm64 only' ;;
esac
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$TESTS/../meson.build")
commit=$(git -C "$TESTS/.." describe --always --abbrev=40 --dirty --exclude='*' \
    2>/dev/null || echo unknown)
export SOURCE_DATE_EPOCH=1700000000

# images WORD...: buildah, with images of its own.
images() {
	buildah --root "$T/storage" --runroot "$T/storage-run" \
	    --storage-driver vfs "$@"
}

# tarball MACHINE PROGRAM: as scripts/package lays one out.
mkdir dist
tarball() {
	top=retry-$version-linux-$1
	mkdir -p "$top/bin"
	cp "$2" "$top/bin/retry"
	echo "notices for $1" >"$top/LICENSES"
	tar -czf "dist/$top.tar.gz" "$top"
}

run "$TESTS/../scripts/image" dist
is 'without a tarball there is no image' "$code $err" \
    "1 $TESTS/../scripts/image: no tarball of retry $version is in $T/dist"
printf '#!/bin/sh\necho for another machine\n' >another
chmod +x another
tarball "$machine" "$RETRY"
tarball "$other" another
run "$TESTS/../scripts/image" dist
archive=$T/dist/retry-$version-image.tar
is 'the image is made of the tarballs' "$code $out$err" "0 $archive"
mv "$archive" first
tarball "$other" another
(umask 077 && "$TESTS/../scripts/image" dist >/dev/null)
check 'the same programs make the same image' cmp first "$archive"

# What it says.
mkdir layout
tar -C layout -xf "$archive"
is 'each file has its sum as its name' \
    "$(cd layout/blobs/sha256 && sha256sum -- * | awk '$1 != $2')" ''
# named FILTER [FILE]: the file that a digest in another names.
named() {
	digest=$(jq -r "$1" "${2:-layout/index.json}")
	echo "layout/blobs/sha256/${digest#sha256:}"
}
is 'the archive names its image' "$(jq -r '.manifests[].annotations[]' layout/index.json)" \
    "retry:$version"
index=$(named '.manifests[0].digest')
is 'the archive has an image for each machine' \
    "$(jq -r '.manifests[].platform | "\(.os)/\(.architecture)"' "$index" |
	xargs)" 'linux/amd64 linux/arm64'
for number in 0 1; do
	config=$(named .config.digest \
	    "$(named ".manifests[$number].digest" "$index")")
	name=$(jq -r .architecture "$config")
	is "the archive has an image for each machine, of which that for $name says what it is" "$(jq -r '.created, .os,
		(.config | .Entrypoint[], (.Labels | to_entries[] |
		"\(.key | ltrimstr("org.opencontainers.image."))=\(.value)"))
	    ' "$config")" "2023-11-14T22:13:20Z
linux
/retry
description=Runs a command until it succeeds
licenses=(BSD-2-Clause AND BSD-3-Clause AND ISC) AND \
(BSD-2-Clause OR GPL-2.0-or-later) AND \
(GPL-3.0-or-later WITH GCC-exception-3.1) AND MIT
revision=$commit
title=retry
version=$version"
done

# What is in it.
# contents MACHINE: $place has the files of its image.
contents() {
	container=$(images from -q --platform="linux/$1" "oci-archive:$archive")
	place=$(images mount "$container")
}
contents "$other"
is 'an image has the program and notices, and no more' \
    "$(cd "$place" && find . -type f | sort | xargs)" './LICENSES ./retry'
check 'the program for another machine is as it was' cmp "$place/retry" another
is 'the program for another machine is as it was, and so are its notices' "$(cat "$place/LICENSES")" "notices for $other"
contents "$machine"
check 'the program for this machine is as it was' cmp "$place/retry" "$RETRY"
is 'the program for this machine is as it was, and can be run' "$(stat -c '%A %u %g' "$place/retry")" '-rwxr-xr-x 0 0'

# What can be built with it: the recipe, on a base that has a shell and what
# passes for apt-get.
mkdir -p base/bin base/run base/usr/bin
cp "$(command -v busybox)" base/bin/busybox
for name in grep seq setsid sh sleep touch; do
	ln -s busybox "base/bin/$name"
done
cat >base/bin/apt-get <<'END'
#!/bin/sh
echo "$*" >>/calls
[ ! -e /called ] || exit 0
touch /called
exit 100
END
chmod +x base/bin/apt-get
printf 'FROM scratch\nCOPY base /\n' >Containerfile
images build -q --isolation=chroot -t base . >/dev/null
images pull -q "oci-archive:$archive" >/dev/null
recipes
sed "s|^FROM .*|FROM base|; s|registry.example/retry|localhost/retry:$version|" \
    'recipes/Inside a Dockerfile RUN' >Containerfile
run images build --isolation=chroot -t built .
is 'an image can be built with it' "$code" 0 || note "$err"
place=$(images mount "$(images from -q built)")
check 'the program is in that image' cmp "$place/usr/bin/retry" "$RETRY"
is 'the program is in that image, and got over a failure' "$(cat "$place/calls")" '-q --error-on=any update
-q --error-on=any update'

# Process 1.
ln -s "$(images mount "$(images from -q "oci-archive:$archive")")" image
inside /retry --version
is 'the entry point of an image runs' "$out$err" "retry $version"
inside /retry -a 2 -d 1ms /retry --nosuch
is 'the entry point of an image runs, and tries what there is to try' \
    "$code $(printf '%s\n' "$err" | grep -c 'attempt ./2 exited 125')" '125 2'
rm image
ln -s "$place" image
container "$crun_may_write" retry -q -a 2 -d 1ms sh -c '
	for i in $(seq 20); do (setsid sh -c "exit 5" &); done
	until set -- /proc/[0-9]*; [ $# -eq 2 ]; do sleep .05; done
	grep -s "^State:.Z" /proc/[0-9]*/status
	trap "exit 7" TERM
	touch /run/started
	while :; do sleep .05; done'
starts started
signalled TERM
wait $!
is 'process 1 reaps orphans, and passes a signal and a status on' \
    "$?$(cat out)" 7

finish
