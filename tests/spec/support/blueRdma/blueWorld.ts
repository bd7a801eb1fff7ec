/** Two blue-rdma NICs joined back to back, each with a host. */
import type { BlueBlocks } from '../../../../dut-model/blue-rdma/model/blueBlocks.ts';
import { resolveBlueConfig } from '../../../../dut-model/blue-rdma/model/blueConfig.ts';
import { BlueNic } from '../../../../dut-model/blue-rdma/model/blueNic.ts';
import { BLOCK_BYTES, type NicKnobs } from '../../../../dut-model/nic.ts';
import { usualAddress } from '../../../../env/ports/netAddress.ts';
import { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { FastStream } from '../../../../uvm/random/randomStream.ts';
import { BlueHost } from './blueHost.ts';
import { BlueLink } from './blueLink.ts';

const store = ByteStore.create();

export interface WorldOptions {
  readonly knobs?: NicKnobs;
  readonly blocks?: Partial<BlueBlocks>;
  readonly gbps?: number;
  readonly delayPs?: number;
}

export class BlueWorld {
  readonly bytes = store;
  readonly scheduler = new Scheduler();
  readonly blocks: BlockPool;
  readonly hosts: readonly [BlueHost, BlueHost];
  readonly nics: readonly [BlueNic, BlueNic];
  readonly link: BlueLink;

  constructor(options: WorldOptions = {}) {
    store.reset();
    this.blocks = new BlockPool(store, BLOCK_BYTES);
    this.hosts = [this.#host(0x11), this.#host(0x22)];
    this.nics = [this.#nic(0, options), this.#nic(1, options)];
    this.link = new BlueLink(this.scheduler, store, this.blocks, options.gbps, options.delayPs);
    this.link.join(this.nics);
    for (const i of [0, 1] as const) {
      this.hosts[i].nic = this.nics[i];
      this.nics[i].connect(this.hosts[i], [this.link.ends[i] as (typeof this.link.ends)[number]]);
      this.nics[i].reset();
    }
  }

  #host(key: number): BlueHost {
    return new BlueHost(this.scheduler, store, this.blocks, key);
  }

  #nic(host: number, { knobs = {}, blocks = {} }: WorldOptions): BlueNic {
    const { macHigh, macLow } = usualAddress(host);
    const context = {
      name: `hca${host}.nic`,
      macHigh,
      macLow,
      ports: [{ macHigh, macLow }],
      scheduler: this.scheduler,
      bytes: store,
      blocks: this.blocks,
      random: (purpose: string) => new FastStream(`${host}.${purpose}`),
      trace: () => {},
      error: (id: string, text: string) => {
        throw new Error(`${id} ${text}`);
      },
    };
    return new BlueNic(context, resolveBlueConfig(knobs), blocks);
  }
}
