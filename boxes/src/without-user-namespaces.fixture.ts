/** Runs a command as on a hardened machine: not as root, without capabilities, and without user namespaces. */
export function withoutUserNamespaces(line: readonly string[]): string[] {
  const script =
    'echo 0 >/proc/sys/user/max_user_namespaces && ' +
    'exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"';
  return ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', 'sh', '-c', script, 'sh', ...line];
}
