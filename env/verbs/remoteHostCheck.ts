/** Which hosts a queue pair may send to. */

import { HostApiError } from './hostErrors.ts';

/**
 * A host does not send to itself: the link delivers a frame to other hosts only.
 * @param where what sends, for example `host 0 RC QP 14`
 * @param name of the value, for example `av.remoteHost`
 * @param own host that sends @param hosts number of hosts
 * @throws HostApiError of kind ATTRIBUTE
 */
export function checkRemoteHost(where: string, name: string, remote: number, own: number, hosts: number): void {
  const exists = Number.isInteger(remote) && remote >= 0 && remote < hosts;
  if (exists && remote !== own) return;
  const what = exists
    ? `${name} is ${remote}, the host itself, and the link brings nothing back`
    : `${name} is ${remote}`;
  const hint = `use another of the hosts 0 .. ${hosts - 1}; the nearest is ${nearest(remote, own, hosts)}`;
  throw new HostApiError('ATTRIBUTE', where, what, hint, remote);
}

/** The other host with the number that is nearest to a wrong one. */
function nearest(remote: number, own: number, hosts: number): number {
  const others = Array.from({ length: hosts }, (_, host) => host).filter((host) => host !== own);
  const from = Number.isFinite(remote) ? remote : 0;
  return others.reduce((best, host) => (Math.abs(host - from) < Math.abs(best - from) ? host : best), others[0] ?? 0);
}
