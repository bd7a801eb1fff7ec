/** Bugs of the aperture, and of the order between it and doorbells. */
import type { MemoryClient } from '../../roce/memoryTarget.ts';
import { TLP_KIND, type Tlp } from '../../nic.ts';
import { Aperture, BehindAperture } from '../model/aperture.ts';
import { DdrFabric } from '../model/ddrFabric.ts';
import { faultsOf, planted } from './cardFault.ts';
import { APERTURE_ROWS } from './rows/apertureRows.ts';

/** Doorbells do not wait for data. */
class HastyDoorbells extends BehindAperture {
  protected override mustWait(): boolean {
    return false;
  }
}

/** Byte enables are ignored: whole dwords are written, with what stands in the transaction around its bytes. */
class WholeDwords extends DdrFabric {
  override softwareWrite(card: number, length: number, src: number, client: MemoryClient): void {
    const before = card & 3;
    const all = Math.ceil((before + length) / 4) * 4;
    const { bytes } = this.context;
    const whole = bytes.alloc(all, 16);
    bytes.zero(whole, all);
    bytes.copy(whole + before, src, length);
    super.softwareWrite(card - before, all, whole, client);
  }
}

/** Bit 16 of the address is not decoded: odd sub-windows of a small card alias even ones. */
class ShortAperture extends Aperture {
  protected override cardAddress(t: Tlp): number {
    return super.cardAddress(t) & ~0x1_0000;
  }
}

/** Reads of the aperture do not push the writes before them. */
class HastyReads extends Aperture {
  protected override readsWait(): boolean {
    return false;
  }
}

/** Reads take odd pages for even ones; writes do not. */
class AliasedReads extends Aperture {
  protected override cardAddress(t: Tlp): number {
    const card = super.cardAddress(t);
    const isOdd = Math.floor(card / PAGE_BYTES) % 2 === 1;
    return t.kind === TLP_KIND.memRead && isOdd ? card - PAGE_BYTES : card;
  }
}

const PAGE_BYTES = 4096;

export const APERTURE_FAULTS = faultsOf(APERTURE_ROWS, {
  doorbell_passes_data: planted({ doorbellOrder: HastyDoorbells }),
  byte_enables_ignored: planted({ fabric: WholeDwords }),
  aperture_bit_lost: planted({ aperture: ShortAperture }),
  aperture_read_passes: planted({ aperture: HastyReads }),
  aperture_reads_alias: planted({ aperture: AliasedReads }),
});
