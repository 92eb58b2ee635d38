#!/bin/bash
# Installs what the tests check WGSL with: Node.js 20 or later and the npm
# package webgpu, which has Tint, into .tools. It never fails the tests: without
# Tint those that need it are listed as not run.
set -u
cd "$(dirname "$0")/../.."

version="0.6.2" # of webgpu
absent() {
	echo "tandem: $1; tests with Tint will not run. $2"
	exit 0
}

node_major() { node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/'; }
PATH="$PWD/.tools/node_modules/.bin:$PATH"
if [ -d "${TANDEM_TINT_NODE_MODULES:-/nowhere}/webgpu" ] || [ -d .tools/node_modules/webgpu ]; then
	[ "$(node_major)" -ge 20 ] 2>/dev/null && exit 0
fi
if ! command -v npm >/dev/null; then
	as_root=""
	if [ "$(id -u)" != 0 ]; then
		sudo -n true 2>/dev/null || absent "npm is missing and installing it needs root" "Install Node.js 20 or later with npm."
		as_root="sudo -n"
	fi
	command -v apt-get >/dev/null || absent "npm is missing" "Install Node.js 20 or later with npm."
	echo "tandem: installing npm, to check WGSL with Tint"
	export DEBIAN_FRONTEND=noninteractive
	{ $as_root apt-get install -y --no-install-recommends npm ||
		{ $as_root apt-get update && $as_root apt-get install -y --no-install-recommends npm; }; } >/dev/null 2>&1 ||
		absent "npm could not be installed" "Install Node.js 20 or later with npm."
fi
install() { npm install --prefix .tools --no-audit --no-fund --loglevel=error "$@" >/dev/null 2>&1; }
mkdir -p .tools
if ! [ "$(node_major)" -ge 20 ] 2>/dev/null; then
	echo "tandem: installing Node.js 20 into .tools (Node.js here: $(node --version 2>/dev/null || echo none))"
	node="node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')"
	install "$node@20" || absent "Node.js 20 could not be installed" "Install it."
	mkdir -p .tools/node_modules/.bin
	ln -sf "../$node/bin/node" .tools/node_modules/.bin/node
fi
if ! [ -d .tools/node_modules/webgpu ]; then
	echo "tandem: installing the npm package webgpu $version (Tint) into .tools"
	install "webgpu@$version" || absent "the npm package webgpu could not be installed" "Run: npm install --prefix .tools webgpu@$version"
fi
