#!/bin/sh
#
# A distribution builds from the tarball of the source, as scripts/packaging tells
# its tools: libraries are shared, nobody is root, and there is no network.

# SPDX-License-Identifier: MIT

. lib/harness.sh

if ! git -C "$TESTS/.." rev-parse -q --verify HEAD >/dev/null 2>&1; then
	skip 'the tarball is made' 'the source is not a commit of git'
	finish
fi
unset DEBFULLNAME DEBEMAIL RETRY_URL RETRY_KEY
run "$TESTS/../scripts/package" dist source
is 'the tarball is made' "$code" 0
is 'the tarball is made, and what to set before it is for others is told' \
    "$(printf '%s\n' "$err" | grep -v ': installing ')" \
    "$TESTS/../scripts/package: before others get them, set \$DEBFULLNAME \$DEBEMAIL \$RETRY_URL: the packages name The retry authors <retry@example.org> and https://example.org/retry"
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$TESTS/../meson.build")
tarball=retry-$version.tar.gz
is 'the tarball is made, so are the files that tell how' \
    "$(cd dist && echo *)" "APKBUILD SHA256SUMS retry-$version.spdx.json $tarball retry.spec"
is 'the files that tell how to build it have all filled in' \
    "$(grep -E '@[A-Z0-9]+@' dist/APKBUILD dist/retry.spec)" ''

# lonely COMMAND...: as nobody, and without a network.
lonely() {
	set -- env HOME="$T/home" CCACHE_DISABLE=1 TMPDIR="$T/home" "$@"
	if [ "$(id -u)" -eq 0 ]; then
		set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
	if unshare -n true 2>/dev/null; then
		set -- unshare -n "$@"
	fi
	"$@"
}

mkdir home bin home/apk home/rpm home/rpm/SOURCES
chmod 755 "$T" "${T%/*}"
cp "dist/$tarball" home/rpm/SOURCES
cp dist/retry.spec home/rpm
cp dist/APKBUILD home/apk
tar -C home/apk -xzf "dist/$tarball"
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 home

# Alpine. Its abuild runs these functions in the folder of the source.
if have 'shellcheck finds nothing in APKBUILD' shellcheck; then
	check 'shellcheck finds nothing in APKBUILD' \
	    shellcheck -s dash -e SC2034,SC2154 dist/APKBUILD
fi
printf '#!/bin/sh\nexec meson setup --prefix=/usr --buildtype=plain "$@"\n' \
    >bin/abuild-meson
chmod +x bin/abuild-meson
run lonely PATH="$T/bin:$PATH" sh -ec '
	. "$HOME/apk/APKBUILD"
	cd dist
	echo "$sha512sums" | grep . | sha512sum -c
	srcdir=$HOME/apk pkgdir=$HOME/apk/package
	cd "$srcdir/$pkgname-$pkgver"
	build
	check
	package'
is 'the functions of APKBUILD build it' "$code" 0
like 'the functions of APKBUILD build it, with the sum of the tarball' "$out" "^$tarball: OK"
like 'the functions of APKBUILD build it, and test it' "$out" '^Ok: +[1-9]'
root=home/apk/package/usr
is 'the functions of APKBUILD build it, and install it' "$("$root/bin/retry" --version)" "retry $version"
like 'the functions of APKBUILD build it, and link the libraries that are shared' \
    "$(readelf -d "$root/bin/retry")" 'NEEDED.*libev\.so'
for name in share/man/man1/retry.1 share/licenses/retry/LICENSE \
    share/zsh/site-functions/_retry; do
	check "$name is installed" test -f "$root/$name"
done

# RPM. Fedora's macros for meson are these, with more options.
have 'rpmbuild makes a package' rpmbuild || finish
run lonely rpmbuild -bb --nodeps --define "_topdir $T/home/rpm" \
    --define 'meson meson setup --prefix=%{_prefix} --buildtype=plain out' \
    --define 'meson_build ninja -C out' \
    --define 'meson_test meson test -C out --no-rebuild' \
    --define 'meson_install DESTDIR=%{buildroot} meson install -C out' \
    "$T/home/rpm/retry.spec"
is 'rpmbuild makes a package' "$code" 0
like 'rpmbuild makes a package, and tests it' "$out" '^Ok: +[1-9]'
package=$(ls home/rpm/RPMS/*/*.rpm)
is 'the package of rpmbuild has the name and the version' \
    "$(rpm -qp --qf '%{NAME} %{VERSION} %{LICENSE}' "$package")" \
    "retry $version MIT"
rpm -qlp "$package" >names
for name in bin/retry share/man/man1/retry.1 \
    share/fish/vendor_completions.d/retry.fish; do
	check "the package has $name" grep -q "^/usr/$name" names
done
if have 'rpmlint finds no error in the spec' rpmlint; then
	like 'rpmlint finds no error in the spec' \
	    "$(rpmlint dist/retry.spec 2>&1)" ' 1 specfiles checked; 0 errors'
fi

finish
