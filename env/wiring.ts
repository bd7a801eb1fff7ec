/** Connects what judges with what it observes: verbs, packets, DMA writes. */

import type { DecodedPacket, PacketArrival } from '../agents/wire/decodedPacket.ts';
import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { WireMonitor } from '../agents/wire/wireMonitor.ts';
import type { TransportMonitor } from '../scoreboard/reference/transportMonitor.ts';
import type { Scoreboard } from '../scoreboard/scoreboard.ts';
import type { Subscriber } from '../uvm/tlm/analysisPort.ts';
import type { HostEnv } from './hostEnv.ts';

/** A host. A write reaches the scoreboard before the completion that it may carry. */
export function wireHost(env: HostEnv, scoreboard: Scoreboard, transport: TransportMonitor | null): void {
  const { observer } = scoreboard;
  scoreboard.observe(env.monitor);
  if (observer !== null) {
    if (env.verbs.provider.capabilities.events) observer.listens(env.host);
    env.agent.writes.connect(observer.writesOf(env.host));
    env.ddr?.writes.connect(observer.writesOf(env.host));
  }
  env.watchWrites();
  if (transport !== null) env.monitor.observe(transport);
}

/** The wire: every frame as it leaves a NIC, before any fault, what fault rules do to it, and what arrives. */
export function wireLink(
  link: LinkAgent,
  { observer }: Scoreboard,
  monitor: WireMonitor | null,
  transport: TransportMonitor | null,
): void {
  const frames = observer?.frames ?? null;
  if (frames !== null)
    frames.onFirst = () => {
      link.frames.connect((frame) => frames.sent(frame));
      link.arrivals.connect((arrival) => frames.arrived(arrival));
    };
  if (monitor === null) return;
  monitor.software = frames;
  link.frames.connect(monitor);
  link.fates.connect((fate) => monitor.fated(fate));
  link.arrivals.connect((arrival) => monitor.arrived(arrival));
  if (observer === null) return;
  monitor.packets.connect(new Packets(observer));
  monitor.fates.connect((fate) => observer.fated(fate));
  monitor.arrivals.connect(new Arrivals(observer));
  transport?.accepted.connect({ write: (packet) => observer.accepted(packet) });
}

/** What every packet passes: a class, so that the engine knows what it calls. */
class Packets implements Subscriber<DecodedPacket> {
  readonly #observer: NonNullable<Scoreboard['observer']>;

  constructor(observer: NonNullable<Scoreboard['observer']>) {
    this.#observer = observer;
  }

  write(packet: DecodedPacket): void {
    packet.tag = this.#observer.packet(packet);
  }
}

class Arrivals implements Subscriber<PacketArrival> {
  readonly #observer: NonNullable<Scoreboard['observer']>;

  constructor(observer: NonNullable<Scoreboard['observer']>) {
    this.#observer = observer;
  }

  write(arrival: PacketArrival): void {
    this.#observer.arrived(arrival);
  }
}
