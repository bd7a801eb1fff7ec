/**
 * The kinds of NIC of a run, by host, as `+DUT` names them: `hangu` for all hosts, `0:hangu,1:mine` for each its own, and
 * `hangu,1:mine` where one host differs from the others.
 */

interface DutNames {
  /** Of hosts that are not named; undefined where all must be. */
  readonly usual: string | undefined;
  readonly byHost: ReadonlyMap<number, string>;
  /** Items that say nothing: a host twice, a second kind for all. */
  readonly mistakes: readonly string[];
}

const ITEM = /^(?:(\d{1,2}):)?([^:,]*)$/;

/** Reads the value of `+DUT`. */
function dutNames(text: string): DutNames {
  const byHost = new Map<number, string>();
  const mistakes: string[] = [];
  let usual: string | undefined;
  for (const item of text.split(',')) {
    const [, host, name] = ITEM.exec(item.trim()) ?? [];
    if (name === undefined || (name === '' && text.includes(','))) mistakes.push(`'${item}' is no kind of NIC`);
    else if (host === undefined && usual !== undefined) mistakes.push(`'${item}' is a second kind for all hosts`);
    else if (host === undefined) usual = name;
    else if (byHost.has(Number(host))) mistakes.push(`host ${Number(host)} has two kinds`);
    else byHost.set(Number(host), name);
  }
  return { usual, byHost, mistakes };
}

/** Names of kinds in such a text, each once, in its order. */
export function dutsNamed(text: string): readonly string[] {
  const { usual, byHost } = dutNames(text);
  return [...new Set([...(usual === undefined ? [] : [usual]), ...byHost.values()])];
}

/** The kind of each host; '' for a host for which none is named. */
export function dutsOf(text: string, hosts: number): readonly string[] {
  const { usual = '', byHost } = dutNames(text);
  return Array.from({ length: hosts }, (_, host) => byHost.get(host) ?? usual);
}

/** How many hosts there are by such a text; 0 where it does not say, because it names a kind for all others. */
export function hostsNamed(text: string): number {
  const { usual, byHost } = dutNames(text);
  return usual === undefined && byHost.size > 0 ? Math.max(...byHost.keys()) + 1 : 0;
}

/** What is wrong with such a text for a number of hosts, whatever kinds of NIC there are. */
export function dutProblems(text: string, hosts: number): string[] {
  const { usual, byHost, mistakes } = dutNames(text);
  const form = 'write +DUT=<kind>, or +DUT=0:<kind>,1:<kind> with a kind for each host';
  const strange = [...byHost.keys()].filter((host) => host >= hosts);
  const without = dutsOf(text, hosts).flatMap((name, host) => (name === '' && usual === undefined ? [host] : []));
  return [
    ...mistakes.map((mistake) => `+DUT=${text}: ${mistake}; ${form}`),
    ...strange.map(
      (host) =>
        `+DUT=${text}: host ${host}: the hosts of this run are 0 to ${hosts - 1}; leave it out, or give +HOST_NUM=${host + 1}`,
    ),
    ...(without.length === 0 || mistakes.length > 0
      ? []
      : [
          `+DUT=${text}: host ${without.join(', ')} of ${hosts} has no kind; put one for all others in front: +DUT=<kind>,${text}`,
        ]),
  ];
}
