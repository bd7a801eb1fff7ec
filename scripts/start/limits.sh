# Read by hca_test and hca_regress where the shell allows little memory or few open files: says so before Node crashes.
# $limits holds the output of "ulimit -v; ulimit -Hn", $home the folder of the project, $self the program's name.
files=${limits##*[!0-9a-z]}
memory=${limits%%[!0-9a-z]*}
case ${self##*/} in
  hca_regress*) needed=512 ;;
  *) needed=64 ;;
esac
if [ "$files" != unlimited ] && [ "$files" -lt "$needed" ]; then
  echo "${self##*/}: only $files files may be open at a time (ulimit -n), $needed are needed; write: ulimit -n 1024" >&2
  exit 3
fi
# How much address space Node reserves depends on its version.
if [ "$memory" != unlimited ] && ! (node --max-semi-space-size=16 "$home/scripts/start/memoryProbe.cjs"; exit $?) >/dev/null 2>&1; then
  echo "${self##*/}: this Node does not run in $memory KiB of address space (ulimit -v); write: ulimit -v unlimited" >&2
  exit 3
fi
