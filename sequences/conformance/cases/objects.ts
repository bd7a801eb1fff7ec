/** What host software makes and takes away: completion queues, regions, protection domains, queue pairs. */
import { SendWr } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_STATE, QP_TYPE, type QpType, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
const { localWrite, remoteWrite, remoteAtomic, remoteRead } = ACCESS;

export const COMPLETION_QUEUES = subject([], {
  *G081(t) {
    const { api, qp } = t.left;
    const cq = yield* api.createCq(qp.process, { entries: 100 });
    t.expect(cq.entries >= 100, `the queue has ${cq.entries} entries, 100 were asked for`);
    yield* api.destroyCq(cq);
    t.expect(!cq.alive, 'the queue is still there');
  },
  *G083(t) {
    const { api, qp } = t.left;
    yield* t.expectRefusedCall('a queue of -1 entries', () => api.createCq(qp.process, { entries: -1 }), 'LIMIT');
  },
  *G084(t) {
    const { api, qp } = t.left;
    yield* t.expectRefusedCall('a queue of no entries', () => api.createCq(qp.process, { entries: 0 }), 'LIMIT');
  },
  *G085(t) {
    const { api, qp } = t.left;
    const most = api.limits.maxCqEntries;
    const cq = yield* api.createCq(qp.process, { entries: most });
    yield* t.expectRefusedCall('one entry more', () => api.createCq(qp.process, { entries: most + 1 }), 'LIMIT');
    yield* api.destroyCq(cq);
  },
  *G204(t) {
    const { api, qp } = t.left;
    yield* t.expectRefusedCall('destroying a queue in use', () => api.destroyCq(qp.sendCq), 'IN_USE');
  },
});

export const REGIONS = subject([], {
  *G114(t) {
    const { api, qp } = t.left;
    const { hi, lo } = yield* t.left.sink(BYTES);
    const access = localWrite | remoteRead;
    const mr = yield* api.regMr(qp.pd, { hi, lo, length: BYTES, access });
    t.expectEqual('length', mr.length, BYTES);
    t.expectEqual('rights', mr.access, access);
    t.expect(mr.hi === hi && mr.lo === lo && mr.pd === qp.pd, 'address or domain are others than were asked for');
    yield* api.deregMr(mr);
    t.expect(!mr.alive, 'the region is still there');
  },
  *G116(t) {
    const { api, qp } = t.left;
    const { hi, lo } = yield* t.left.sink(BYTES);
    const call = () => api.regMr(qp.pd, { hi, lo, length: BYTES, access: remoteWrite });
    yield* t.expectRefusedCall('remote write without local write', call, 'ACCESS');
  },
  *G117(t) {
    const { api, qp } = t.left;
    const { hi, lo } = yield* t.left.sink(BYTES);
    const call = () => api.regMr(qp.pd, { hi, lo, length: BYTES, access: remoteAtomic });
    yield* t.expectRefusedCall('remote atomic without local write', call, 'ACCESS');
  },
  *G122(t) {
    const into = yield* t.right.sink(BYTES);
    for (let i = 0; i < 3; i++) yield* t.right.receive(into);
    yield* t.right.deregister(into);
    yield* t.quiet();
    t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 3);
  },
});

export const PROTECTION_DOMAINS = subject([], {
  *G164(t) {
    const { api, qp } = t.left;
    const pd = api.allocPd(qp.process);
    api.deallocPd(pd);
    t.expect(!pd.alive, 'the domain is still there');
    yield* t.quiet();
  },
  *G170(t) {
    const { api, qp } = t.left;
    const pd = api.allocPd(qp.process);
    const { hi, lo } = yield* t.left.sink(BYTES);
    const mr = yield* api.regMr(pd, { hi, lo, length: BYTES, access: localWrite });
    yield* t.expectRefusedCall('a domain with a region', () => api.deallocPd(pd), 'IN_USE');
    yield* api.deregMr(mr);
    api.deallocPd(pd);
  },
  *G172(t) {
    const { api, qp } = t.left;
    const pd = api.allocPd(qp.process);
    const other = yield* api.createQp(pd, t.qpInit());
    yield* t.expectRefusedCall('a domain with a queue pair', () => api.deallocPd(pd), 'IN_USE');
    yield* api.destroyQp(other);
    api.deallocPd(pd);
  },
});

export const ADDRESS_HANDLES = subject(['ud'], {
  *G016(t) {
    const { api, qp } = t.left;
    const ah = api.createAh(qp.pd, t.right.host);
    t.expectEqual('host', ah.remoteHost, t.right.host);
    t.expect(ah.pd === qp.pd, 'the handle belongs to another domain');
    t.expectEqual('hop limit', api.queryAh(ah).hopLimit, 64);
    api.destroyAh(ah);
    t.expect(!ah.alive, 'the handle is still there');
    yield* t.quiet();
  },
  *G169(t) {
    const { api, qp } = t.left;
    const pd = api.allocPd(qp.process);
    const ah = api.createAh(pd, t.right.host);
    yield* t.expectRefusedCall('a domain with an address handle', () => api.deallocPd(pd), 'IN_USE');
    api.destroyAh(ah);
    api.deallocPd(pd);
  },
});

export const QUEUE_PAIRS = subject([], {
  *G196(t) {
    const { api, qp } = t.left;
    const made = yield* api.createQp(qp.pd, t.qpInit());
    t.expectEqual('type', made.type, QP_TYPE.rc);
    t.expectEqual('state', made.state, QP_STATE.reset);
    t.expect(made.pd === qp.pd && made.sendCq === qp.sendCq && made.recvCq === qp.recvCq, 'its objects are others');
    t.expect(made.maxSendWr >= 4 && made.maxRecvWr >= 4, 'its queues are smaller than was asked for');
    yield* api.destroyQp(made);
  },
  *G205(t) {
    const { api, qp } = t.left;
    const { maxQpWr } = api.limits;
    const most = maxQpWr ?? 2 ** 15;
    const made = yield* api.createQp(qp.pd, t.qpInit({ maxSendWr: most }));
    t.expect(made.maxSendWr >= most, `the send queue has room for ${made.maxSendWr} requests`);
    yield* api.destroyQp(made);
    if (maxQpWr === undefined) return;
    const more = () => api.createQp(qp.pd, t.qpInit({ maxSendWr: most + 1 }));
    yield* t.expectRefusedCall('a queue of one request more', more, 'LIMIT');
  },
  *G206(t) {
    const { api, qp } = t.left;
    const most = api.limits.maxSge;
    const made = yield* api.createQp(qp.pd, t.qpInit({ maxSge: most }));
    t.expectEqual('entries of its lists', made.maxSge, most);
    yield* api.destroyQp(made);
  },
  *G236(t) {
    const [data, target] = [yield* t.left.source(64), yield* t.right.sink(64)];
    const depth = t.left.qp.maxSendWr;
    for (let i = 0; i < depth; i++) yield* t.left.write(data, target);
    if (t.left.qp.sendOutstanding === depth)
      yield* t.expectRefusedCall('one request more', () => t.left.write(data, target), 'QUEUE_FULL');
    for (let i = 0; i < depth; i++) yield* t.sent();
  },
  *T_086(t) {
    const { qp } = t.left;
    const [data, target] = [yield* t.left.source(64), yield* t.right.sink(64)];
    const list = (count: number): SendWr[] =>
      Array.from({ length: count }, (_, i) => {
        const wr = Object.assign(new SendWr(), { wrId: i, opcode: WR_OPCODE.rdmaWrite, flags: SEND_FLAG.signaled });
        Object.assign(wr, { remoteHi: target.hi, remoteLo: target.lo, rkey: target.key });
        wr.setNumSge(1);
        data.fill(wr.sges[0] as SendWr['sges'][number]);
        return wr;
      });
    const wrong = list(4);
    (wrong[2] as SendWr).setNumSge(qp.maxSge + 1);
    yield* t.expectRefusedAt('too many entries in the third request', () => t.postSends(t.left, wrong), 2);
    t.expectEqual('requests in front of it that are posted', qp.sendOutstanding, 2);
    for (let n = qp.sendOutstanding; n > 0; n--) yield* t.sent();
    yield* t.quiet();
    t.expectEqual('requests that are outstanding', qp.sendOutstanding, 0);
    const depth = qp.maxSendWr;
    yield* t.expectRefusedAt('a list longer than the queue', () => t.postSends(t.left, list(depth + 2)), depth);
    for (let i = 0; i < depth; i++) yield* t.sent();
  },
  *G219(t) {
    const { api, qp } = t.left;
    const made = yield* api.createQp(qp.pd, t.qpInit());
    yield* api.destroyQp(made);
    t.expect(!made.alive, 'the queue pair is still there');
  },
  *G220(t) {
    const { api, qp } = t.left;
    const made = yield* api.createQp(qp.pd, t.qpInit());
    yield* api.modifyQp(made, { state: QP_STATE.init, pkeyIndex: 0, port: 1, accessFlags: 0 });
    yield* api.destroyQp(made);
    t.expect(!made.alive, 'the queue pair is still there');
  },
  *G201(t) {
    const { api, qp } = t.left;
    const call = () => api.createQp(qp.pd, t.qpInit({ type: 9 as QpType }));
    yield* t.expectRefusedCall('a queue pair of no type', call, 'ATTRIBUTE', 'UNSUPPORTED', 'LIMIT');
  },
});

export const DATAGRAM_PAIRS = subject(['ud'], {
  *G202(t) {
    const { api, qp } = t.left;
    const made = yield* api.createQp(qp.pd, t.qpInit({ type: QP_TYPE.ud }));
    t.expectEqual('type', made.type, QP_TYPE.ud);
    yield* api.destroyQp(made);
  },
  *G214(t) {
    yield* t.expectState('rts', t.left, t.right);
  },
});
