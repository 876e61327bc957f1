#!/bin/sh
# Boots systemd on a throw-away copy of this machine's file tree, inside namespaces that unshare(1) has made.
# usage: systemd-machine.sh DIRECTORY NODE PACKAGE
set -eu
work=$1 node=$2 package=$3 root=$1/root
mount --make-rprivate /
mount -t tmpfs tmpfs "$work"
mkdir -p "$root" "$work/upper" "$work/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
for place in proc:proc sysfs:sys tmpfs:run tmpfs:tmp; do mount -t "${place%%:*}" none "$root/${place#*:}"; done
mount --rbind /dev "$root/dev"
mount -t tmpfs none "$root/sys/fs/cgroup"
mkdir -p "$root/sys/fs/cgroup/systemd"
mount -t cgroup -o none,name=systemd none "$root/sys/fs/cgroup/systemd"
touch "$root/usr/bin/node" && mount --bind "$node" "$root/usr/bin/node"
cp "$package" "$root/mnt/agent.deb"
# What reaches beyond these namespaces stays out.
for unit in systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udev-trigger.service \
  systemd-sysctl.service systemd-modules-load.service systemd-random-seed.service systemd-binfmt.service \
  proc-sys-fs-binfmt_misc.automount dev-hugepages.mount dev-mqueue.mount sys-kernel-config.mount sys-kernel-debug.mount \
  sys-kernel-tracing.mount sys-fs-fuse-connections.mount systemd-remount-fs.service systemd-networkd.service \
  systemd-resolved.service systemd-timesyncd.service network-online.target; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
rm -f "$root/usr/sbin/policy-rc.d"
mount --make-rshared /
exec env -i container=other PATH="$PATH" chroot "$root" /lib/systemd/systemd --system --unit=basic.target
