/**
 * Returns a command that runs another on what looks like a hardened machine: as a user other than root, without
 * capabilities, and with user namespaces forbidden.
 */
export function withoutUserNamespaces(line: readonly string[]): string[] {
  const script =
    'echo 0 >/proc/sys/user/max_user_namespaces && ' +
    'exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"';
  return ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', 'sh', '-c', script, 'sh', ...line];
}
