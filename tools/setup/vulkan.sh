#!/bin/bash
# Installs a software Vulkan driver (Mesa's lavapipe) where no Vulkan device is
# found and the user may install packages. It never fails the build: without a
# device tandem runs on the CPU, and tests that need one are listed as not run.
set -u
PATH="$PATH:/usr/sbin:/sbin" # an ordinary user's has no ldconfig

# A device is there if the loader is, and a driver says so in one of its folders.
have_loader() { ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || [ "$(uname)" != Linux ]; }
have_driver() {
	[ "$(uname)" != Linux ] || [ -n "${VK_ICD_FILENAMES:-}${VK_DRIVER_FILES:-}" ] ||
		compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json' || compgen -G '/usr/local/share/vulkan/icd.d/*.json'
}

if have_loader && have_driver >/dev/null; then
	exit 0
fi
packages="libvulkan1 mesa-vulkan-drivers"
if ! command -v apt-get >/dev/null; then
	echo "tandem: no Vulkan driver found. Install one (Mesa's software driver will do) to run on a GPU device."
	exit 0
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "tandem: no Vulkan driver found, and installing one needs root; tandem will use the CPU. Run as root: apt-get install $packages"
		exit 0
	fi
	as_root="sudo -n"
fi
echo "tandem: no Vulkan driver found; installing $packages (software Vulkan)"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { $as_root apt-get install -y --no-install-recommends $packages; }
if ! { install || { $as_root apt-get update && install; }; } >"$log" 2>&1; then
	tail -n 5 "$log"
	echo "tandem: that failed; tandem will use the CPU. To try again: apt-get install $packages"
fi
