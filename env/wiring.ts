/** Connects the analysis ports of hosts and link with scoreboard and wire monitor. */

import type { DecodedPacket } from '../agents/wire/decodedPacket.ts';
import type { LinkAgent } from '../agents/link/linkAgent.ts';
import type { WireMonitor } from '../agents/wire/wireMonitor.ts';
import type { PostedRecv, PostedSend, VisibleCompletion } from '../agents/verbs/verbsItems.ts';
import type { TransportMonitor } from '../scoreboard/reference/transportMonitor.ts';
import type { Scoreboard } from '../scoreboard/scoreboard.ts';
import type { Subscriber } from '../uvm/tlm/analysisPort.ts';
import type { HostEnv } from './hostEnv.ts';

/** A host's ports. A write reaches the scoreboard before the completion that it may carry. */
export function wireHost(env: HostEnv, scoreboard: Scoreboard, transport: TransportMonitor | null): void {
  const { ports, host } = env;
  ports.qpsMade.connect((info) => scoreboard.qpMade(info));
  ports.qpsListening.connect((info) => scoreboard.qpListening(info));
  ports.qpsSilent.connect(({ qpn }) => scoreboard.qpSilent(host, qpn));
  ports.qpsStarting.connect(({ qpn }) => scoreboard.qpStarts(host, qpn));
  ports.qps.connect((info) => scoreboard.qpReady(info));
  ports.qpsChanging.connect((info) => scoreboard.qpChanging(info));
  ports.qpsChanged.connect((info) => scoreboard.qpChanged(info));
  ports.qpsResetting.connect(({ qpn }) => scoreboard.qpResets(host, qpn));
  ports.qpsGone.connect((gone) => scoreboard.qpGone(gone.host, gone.qpn));
  ports.qpsStopped.connect((stopped) => scoreboard.qpStopped(stopped.host, stopped.qpn, stopped.destroyed));
  ports.qpsHeld.connect(({ qpn, held }) => scoreboard.qpHeld(host, qpn, held));
  ports.qpsDraining.connect((draining) => scoreboard.qpDraining(draining.host, draining.qpn));
  ports.qpsResumed.connect((resumed) => scoreboard.qpResumes(resumed.host, resumed.qpn, false));
  ports.qpsRecovered.connect((recovered) => scoreboard.qpResumes(recovered.host, recovered.qpn, true));
  ports.ahs.connect((info) => scoreboard.ahReady(info));
  ports.mrs.connect((info) => scoreboard.mrRegistered(info));
  ports.mrsGone.connect((gone) => scoreboard.mrGone(gone.host, gone.key));
  ports.mrsForgotten.connect((info) => scoreboard.mrForgotten(info.host, info.key));
  ports.postedSends.connect(new PostedSends(scoreboard));
  ports.postedRecvs.connect(new PostedRecvs(scoreboard));
  ports.completions.connect(new Completions(scoreboard));
  ports.areas.connect((a) => {
    const { host, hi, lo, length } = a;
    if (a.allowed)
      scoreboard.allowArea(host, a.kind, hi, lo, length, a.id, a.offset, a.ringBytes, a.entryBytes, a.continues);
    else scoreboard.forbidArea(host, hi, lo, length);
  });
  ports.dataWriting.connect((d) => scoreboard.hostWrites(d.host, d.process, d.hi, d.lo, d.length));
  ports.dataWritten.connect((d) => scoreboard.hostWrote(d.host, d.process, d.hi, d.lo, d.length));
  ports.asyncEvents.connect(({ event, number }) => scoreboard.asyncEvent(host, event, number));
  ports.cqsArmed.connect((a) => scoreboard.cqArmed(a.host, a.cqn, a.solicitedOnly, a.unseen));
  ports.cqEvents.connect((cq) => scoreboard.cqEvent(cq.host, cq.cqn));
  ports.cqsGone.connect((cq) => scoreboard.cqGone(cq.host, cq.cqn));
  if (env.verbs.provider.capabilities.events) scoreboard.listens(host);
  env.agent.writes.connect(scoreboard.writesOf(host));
  env.watchWrites();
  if (transport === null) return;
  ports.qpsListening.connect((info) => transport.qpListening(info));
  ports.qps.connect((info) => transport.qpReady(info));
  ports.qpsChanging.connect((info) => transport.qpChanging(info));
  ports.qpsChanged.connect((info) => transport.qpChanged(info));
  ports.qpsSilent.connect((silent) => transport.qpSilent(silent.host, silent.qpn));
  ports.qpsResumed.connect((resumed) => transport.qpResumed(resumed.host, resumed.qpn));
  ports.qpsDrained.connect((drained) => transport.qpDrained(drained.host, drained.qpn));
  ports.qpsHeld.connect(({ qpn, held }) => {
    if (!held) transport.qpGoesOn(host, qpn);
  });
  ports.ahs.connect((info) => transport.ahReady(info));
  ports.qpsGone.connect((gone) => transport.qpGone(gone.host, gone.qpn));
}

/** The wire: every frame as it leaves a NIC, before any fault. */
export function wireLink(link: LinkAgent, scoreboard: Scoreboard, monitor: WireMonitor | null): void {
  if (monitor === null) return;
  link.frames.connect(monitor);
  link.duplicates.connect((frame) => monitor.duplicated(frame));
  monitor.packets.connect(new Packets(scoreboard));
}

// What every request passes: classes, so that the engine knows what it calls.

class PostedSends implements Subscriber<PostedSend> {
  readonly #scoreboard: Scoreboard;

  constructor(scoreboard: Scoreboard) {
    this.#scoreboard = scoreboard;
  }

  write(item: PostedSend): void {
    this.#scoreboard.postedSend(item);
  }
}

class PostedRecvs implements Subscriber<PostedRecv> {
  readonly #scoreboard: Scoreboard;

  constructor(scoreboard: Scoreboard) {
    this.#scoreboard = scoreboard;
  }

  write(item: PostedRecv): void {
    this.#scoreboard.postedRecv(item);
  }
}

class Completions implements Subscriber<VisibleCompletion> {
  readonly #scoreboard: Scoreboard;

  constructor(scoreboard: Scoreboard) {
    this.#scoreboard = scoreboard;
  }

  write(item: VisibleCompletion): void {
    this.#scoreboard.completion(item);
  }
}

class Packets implements Subscriber<DecodedPacket> {
  readonly #scoreboard: Scoreboard;

  constructor(scoreboard: Scoreboard) {
    this.#scoreboard = scoreboard;
  }

  write(packet: DecodedPacket): void {
    this.#scoreboard.packet(packet);
  }
}
