/** Makes one call of a scenario. */

import type { ConnectAttributes, MrRequest, RemoteQp } from '../../env/verbs/hostApi.ts';
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { DONE } from '../../env/verbs/done.ts';
import { HostApiError } from '../../env/verbs/hostErrors.ts';
import type { QpAttributes } from '../../env/verbs/qpAttributes.ts';
import type { Qp } from '../../env/verbs/verbsObjects.ts';
import {
  QP_STATE,
  QP_STATE_NAME,
  QP_TYPE,
  QP_TYPE_NAME,
  type QpState,
  type QpType,
  SEND_FLAG,
} from '../../rdma/verbs.ts';
import { parseRule } from '../../agents/link/faults/rule/parseRule.ts';
import { parsePcieRule } from '../../agents/pcie/faults/rule/pcieLanguage.ts';
import { faultRuleOf } from '../host/faults/linkFaults.ts';
import { pcieRuleOf } from '../host/faults/pcieFaults.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type {
  CallAttributes,
  CallName,
  CallOf,
  CallQp,
  CallStep,
  WaitStep,
} from '../../config/scenario/calls/callScenario.ts';
import { accessOf, hostOf, UnboundName } from './boundObjects.ts';
import { packetOf } from './injections.ts';
import type { PlayedCalls } from './playedCalls.ts';

type Make<N extends CallName> = (player: PlayedCalls, step: CallOf<N>) => Proc<void>;
type Args<N extends CallName> = NonNullable<CallOf<N>['args']>;

/** @throws HostApiError for a call that must not be made now, UnboundName where an object is missing */
export function playCall(player: PlayedCalls, step: Exclude<CallStep, WaitStep>): Proc<void> {
  return (MAKE[step.call] as Make<CallName>)(player, step);
}

const MAKE: { readonly [N in CallName]: Make<N> } = {
  *openDevice({ objects }, { on, args }) {
    yield* objects.host(on).openDevice(given(args ?? {}));
  },
  *closeDevice({ objects }, { on }) {
    yield* objects.host(on).closeDevice();
  },
  allocPd({ objects }, { on, as, args }) {
    objects.bind(as, objects.host(on).allocPd(argsOf(args).process));
    return DONE;
  },
  deallocPd({ objects }, { on }) {
    objects.host(on).deallocPd(objects.pd(on));
    return DONE;
  },
  *regMr({ objects }, { on, args }) {
    const { regions } = argsOf(args);
    const requests = regions.map((region): MrRequest => {
      const { length, access, zeroBased } = region;
      const place = objects.address(region);
      return { ...place, length, access: accessOf(access), ...(zeroBased === true ? { zeroBased } : {}) };
    });
    const mrs = yield* objects.host(on).regMrs(objects.pd(on), requests);
    for (const [i, mr] of mrs.entries()) objects.bind(regions[i]?.mr, mr);
  },
  *deregMr({ objects }, { on, args }) {
    yield* objects.host(on).deregMrs(argsOf(args).mrs.map(objects.mr));
  },
  *allocMw({ objects }, { on, as, args }) {
    objects.bind(as, yield* objects.host(on).allocMw(objects.pd(on), argsOf(args).type));
  },
  *deallocMw({ objects }, { on }) {
    yield* objects.host(on).deallocMw(objects.mw(on));
  },
  *allocMr({ objects }, { on, as, args }) {
    objects.bind(as, yield* objects.host(on).allocMr(objects.pd(on), argsOf(args).maxPages));
  },
  *deallocMr({ objects }, { on }) {
    yield* objects.host(on).deallocMr(objects.fastMr(on));
  },
  *createCq(player, { on, as, args }) {
    const { process, entries, solicitedEvents } = argsOf(args);
    const request = { entries, ...(solicitedEvents === true ? { solicitedEvents } : {}) };
    const cq = yield* player.objects.host(on).createCq(process, request);
    player.objects.bind(as, cq);
    player.takeFrom(as, cq);
  },
  *destroyCq({ objects }, { on }) {
    yield* objects.host(on).destroyCq(objects.cq(on));
  },
  *resizeCq({ objects }, { on, args }) {
    yield* objects.host(on).resizeCq(objects.cq(on), argsOf(args).entries);
  },
  *createSrq({ objects }, { on, as, args }) {
    objects.bind(as, yield* objects.host(on).createSrq(objects.pd(on), argsOf(args)));
  },
  *modifySrq({ objects }, { on, args }) {
    yield* objects.host(on).modifySrq(objects.srq(on), argsOf(args));
  },
  *querySrq({ objects }, { on }) {
    yield* objects.host(on).querySrq(objects.srq(on));
  },
  *destroySrq({ objects, work }, { on }) {
    yield* objects.host(on).destroySrq(objects.srq(on));
    work.forget(on);
  },
  *postSrqRecv({ objects, work }, { on, args }) {
    const wrs = argsOf(args).requests.map((request) => objects.recv(request));
    const posted = objects.host(on).postSrqRecv(objects.srq(on), wrs, wrs.length);
    work.posted(on, 'receive', wrs.map(idOf));
    yield* posted;
  },
  *createQp(player, { on, as, args }) {
    const { objects } = player;
    const api = objects.host(on);
    const { type, sendCq, recvCq, srq, ...others } = argsOf(args);
    const maxInline = api.capabilities.inline ? (others.maxInline ?? 0) : 0;
    const cqs = { sendCq: objects.cq(sendCq), recvCq: objects.cq(recvCq) };
    const signalAll = others.signalAll ?? true;
    const shared = srq === undefined ? {} : { srq: objects.srq(srq) };
    if (as !== undefined && srq !== undefined) player.work.share(as, srq);
    const qp = yield* api.createQp(objects.pd(on), {
      ...others,
      ...cqs,
      ...shared,
      type: typeOf(type),
      maxInline,
      signalAll,
    });
    objects.bindQp(as, qp, api);
    player.named(as, qp);
  },
  *destroyQp(player, { on }) {
    yield* player.objects.host(on).destroyQp(player.objects.qp(on));
    player.work.forget(on);
  },
  *modifyQp(player, { on, args }) {
    const { objects } = player;
    const attributes = modification(player, objects.qp(on), argsOf(args));
    yield* objects.host(on).modifyQp(objects.qp(on), attributes);
    if (attributes.state === QP_STATE.reset) player.work.forget(on);
  },
  *queryQp({ objects }, { on }) {
    yield* objects.host(on).queryQp(objects.qp(on));
  },
  *connectQp({ objects }, { on, args }) {
    const { peer, peerPsn = 0, ...others } = argsOf(args);
    const qp = objects.qp(on);
    const remote: RemoteQp | null =
      peer === undefined ? null : { host: hostOf(peer), qpn: objects.qp(peer).qpn, psn: peerPsn };
    if (remote === null && qp.type !== QP_TYPE.ud) throw new UnboundName(`${on} has no peer`);
    yield* objects.host(on).connectQp(qp, remote, withBits(others) as ConnectAttributes);
  },
  createAh({ objects }, { on, as, args }) {
    const { host, ...request } = argsOf(args);
    objects.bind(as, objects.host(on).createAh(objects.pd(on), host, given(request)));
    return DONE;
  },
  *queryCq({ objects }, { on }) {
    yield* objects.host(on).queryCq(objects.cq(on));
  },
  *queryMr({ objects }, { on }) {
    yield* objects.host(on).queryMr(objects.mr(on));
  },
  queryAh({ objects }, { on }) {
    objects.host(on).queryAh(objects.ah(on));
    return DONE;
  },
  destroyAh({ objects }, { on }) {
    objects.host(on).destroyAh(objects.ah(on));
    return DONE;
  },
  *postSend({ objects, work, play }, { on, args }) {
    const { requests } = argsOf(args);
    const qp = objects.qp(on);
    const wrs = requests.map((request) => objects.send(qp, request));
    const posted = posting(
      () => objects.host(on).postSend(qp, wrs, wrs.length),
      (count) => work.posted(on, 'send', awaited(qp, wrs.slice(0, count)).map(idOf)),
      wrs.length,
    );
    for (const { sges } of requests) for (const { length } of sges) play.progress.bytesPosted += length;
    yield* posted;
  },
  *postRecv({ objects, work }, { on, args }) {
    const wrs = argsOf(args).requests.map((request) => objects.recv(request));
    const posted = posting(
      () => objects.host(on).postRecv(objects.qp(on), wrs, wrs.length),
      (count) => work.posted(on, 'receive', wrs.slice(0, count).map(idOf)),
      wrs.length,
    );
    yield* posted;
  },
  *armCq({ objects }, { on, args }) {
    yield* objects.host(on).armCq(objects.cq(on), argsOf(args).solicitedOnly);
  },
  *maskEvents({ objects }, { on, args }) {
    yield* objects.host(on).maskEvents(argsOf(args).masked);
  },
  write({ objects }, { on, args }) {
    const { process, bytes, ...place } = argsOf(args);
    const { hi, lo } = objects.address(place);
    objects.host(on).data.write(process, hi, lo, Buffer.from(bytes, 'hex'));
    return DONE;
  },
  *refusedCommand({ objects }, { on, args }) {
    const { mr, what } = argsOf(args);
    const refusal = objects
      .host(on)
      .refusals(objects.qp(on), objects.mr(mr))
      .find((each) => each.what === what);
    if (refusal === undefined) throw new UnboundName(`there is no refused command '${what}'`);
    yield* refusal.give();
  },
  addFault({ objects, play }, { on, as, args }) {
    const { rule } = argsOf(args);
    if (on === 'pcie') {
      if (parsePcieRule(rule).rule === undefined) throw new UnboundName(`'${rule}' is no fault rule of PCIe`);
      objects.bind(as, play.env.pcie.addFault(pcieRuleOf(rule, 'scenario')));
      return DONE;
    }
    if (parseRule(rule).rule === undefined) throw new UnboundName(`'${rule}' is no fault rule`);
    objects.bind(as, play.env.link.addFault(faultRuleOf(rule, 'scenario')));
    return DONE;
  },
  inject({ objects, play }, { args }) {
    play.env.link.inject(packetOf(argsOf(args), objects, play.psns));
    return DONE;
  },
  stopFault({ objects }, { on }) {
    objects.fault(on).stop();
    return DONE;
  },
};

/** Without what is left out. */
function given<T extends object>(request: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as never;
}

/** The schema sees to it that a call has what it needs. */
function argsOf<T>(args: T | undefined): T {
  if (args === undefined) throw new UnboundName('the arguments are missing');
  return args;
}

function idOf({ wrId }: { readonly wrId: number }): number {
  return wrId;
}

function typeOf(name: CallQp['type']): QpType {
  return Number(Object.keys(QP_TYPE_NAME).find((type) => QP_TYPE_NAME[Number(type)] === name)) as QpType;
}

function modification({ objects }: PlayedCalls, qp: Qp, args: Args<'modifyQp'>): QpAttributes {
  const { state, peer, av, ...others } = args;
  const path = av as CallAttributes | undefined;
  const target = peer === undefined ? undefined : objects.qp(peer);
  const remoteHost = target?.host ?? path?.['remoteHost'] ?? qp.remoteHost;
  return {
    ...(withBits(others) as Partial<QpAttributes>),
    state: QP_STATE_NAME.indexOf(state as (typeof QP_STATE_NAME)[number]) as QpState,
    ...(target === undefined ? {} : { destQpn: target.qpn }),
    ...(path === undefined ? {} : { av: { ...path, remoteHost } as NonNullable<QpAttributes['av']> }),
  };
}

/** Rights as bits; everything else as it is. */
function withBits(attributes: CallAttributes): object {
  const { accessFlags } = attributes;
  return Array.isArray(accessFlags) ? { ...attributes, accessFlags: accessOf(accessFlags as string[]) } : attributes;
}

/** Posts a list, and notes what of it is posted, also where one of its requests is wrong. */
function posting(post: () => Proc<void>, note: (count: number) => void, count: number): Proc<void> {
  try {
    const posted = post();
    note(count);
    return posted;
  } catch (error) {
    if (error instanceof HostApiError && error.index > 0) note(error.index);
    throw error;
  }
}

/** Requests that complete also when they succeed. */
function awaited({ signalAll }: Qp, wrs: readonly SendWr[]): readonly SendWr[] {
  return signalAll ? wrs : wrs.filter(({ flags }) => (flags & SEND_FLAG.signaled) !== 0);
}
