import type { EndsOf } from './endDraws.ts';
import type { TrafficWatcher } from './trafficWatcher.ts';
import type { LinkFaults } from './faults/linkFaults.ts';
import type { PcieFaults } from './faults/pcieFaults.ts';
import type { DeviceRequest } from '../../env/verbs/srq/srqRequests.ts';
import type { ConnectAttributes, HostApi } from '../../env/verbs/hostApi.ts';

/** Where the calls of a run fall into parts. */
export interface CallSections {
  /** The process that says so has waited for all others. */
  barrier(): void;
  /** What comes now belongs to the end of the run. */
  stop(): void;
}

/** What sequences need of the environment: the hosts, and how to tell that nothing moves any more. */
export interface PlayEnv {
  readonly hosts: readonly HostApi[];
  /** What makes no progress for this long is stuck (ps). */
  readonly stallTime: number;
  /** The link may lose frames. */
  readonly lossAllowed: boolean;
  /** The status that the NIC of a host has declared in place of one of the model (roce-transport.md 11). Default: there is none. */
  declaredStatus?(host: number, isSend: boolean, status: number): number;
  /** What the NIC of a host does where implementations differ, as far as sequences go by it. Default: as the model. */
  choicesOf?(host: number): {
    readonly alignmentBeforeKey: boolean;
    readonly tooLongDatagram: number;
    readonly foreignHandle: 'refused' | 'lost';
    readonly boundRegion: 'kept' | 'windows die';
    readonly bindsForeignWindows: boolean;
  };
  /** What the devices of the run are opened with, beyond what sequences ask for. Default: nothing. */
  readonly device?: DeviceRequest;
  /** What ends of connections choose by themselves. Default: all of them what all have. */
  readonly ends?: EndsOf | undefined;
  /** Where fault rules are given to the link. */
  readonly link: LinkFaults;
  /** And to the PCIe ports. */
  readonly pcie: PcieFaults;
  /** From now on somebody looks on at the ports of the NICs. */
  watch?(watcher: TrafficWatcher): void;
  /** A number that changes with every transaction and frame anywhere. */
  activity(): number;
  /** Transactions and frames that have not come to their end. */
  inFlight(): number;
  /** Whether a completion must still become visible that a send request has asked for. */
  owesCompletion(): boolean;
  /** Tells the judge that nothing is in flight. */
  quiet(): void;
  /** Told of where the calls of a run fall into parts, while they are recorded. */
  readonly recording?: CallSections | undefined;
}

/** How a scenario is played, apart from its content. */
export interface PlayOptions {
  /** Attributes that all queue pairs are connected with; PSN and MTU come from the scenario. */
  readonly connect: ConnectAttributes;
  /** Arm completion queues and wait for events instead of polling. */
  readonly events: boolean;
  /** Nothing may move for this long before a batch counts as quiet (ps). */
  readonly settle: number;
  readonly tearDown: boolean;
  /** Requesters may give up for want of time: then receives are given up too that nobody fills, as on a link with faults. */
  readonly mayGiveUp: boolean;
}
