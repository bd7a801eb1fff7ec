/** Bugs of keys, ranges and pages of regions on the card. */
import type { Resumable, RxPacket } from '../../roce/rxPacket.ts';
import { MPT_PERMISSION } from '../../hangu/layout/index.ts';
import { qpPd, Responder, XLATE } from '../../hangu/model/index.ts';
import { CardTranslation } from '../model/cardTranslation.ts';
import { faultsOf, planted } from './cardFault.ts';
import { KEY_ROWS } from './rows/keyRows.ts';

class RightsIgnored extends CardTranslation {
  override translate(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    _need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    return super.translate(key, pd, hi, lo, length, 0, relative, asker);
  }
}

class DomainUnchecked extends CardTranslation {
  protected override sameDomain(): boolean {
    return true;
  }
}

class IndexOnly extends CardTranslation {
  protected override sameKey(): boolean {
    return true;
  }
}

/** The last byte of an access is not looked at. */
class LateBounds extends CardTranslation {
  override translate(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    return super.translate(key, pd, hi, lo, Math.max(1, length - 1), need, relative, asker);
  }
}

/** An offset in front of the first byte is taken for the first byte. */
class UnsignedOffsets extends CardTranslation {
  override translate(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    const isInFront = hi === -1;
    return super.translate(key, pd, isInFront ? 0 : hi, isInFront ? 0 : lo, length, need, relative, asker);
  }
}

/** Writes the first packet of a WRITE where its address leads; whether its key opens that is asked afterwards. */
class ChecksLater extends Responder {
  protected override checkKey(c: number, p: RxPacket, need: number): number {
    const { bytes, xlate } = this.core;
    if (need === MPT_PERMISSION.remoteWrite && p.length > 0) {
      const found = xlate.translate(p.rkey, qpPd(bytes.i32, c), p.vaHi, p.vaLo, 1, 0, false, p);
      const n = Math.min(p.length, xlate.available);
      if (found === XLATE.ok) xlate.target.write(xlate.paHi, xlate.paLo, n, p.payload, p.block);
    }
    return super.checkKey(c, p, need);
  }
}

class RepeatedPages extends CardTranslation {
  protected override mttIndex(seg: number, page: number): number {
    return super.mttIndex(seg, page & ~1);
  }
}

/** The page size of an entry is stored and not looked at, as in the hardware that has pages of 4 KiB only. */
class PageSizeIgnored extends CardTranslation {
  override pageLogOf(): number {
    return 0;
  }
}

/** A bit of the place in a large page is lost: its upper half is its lower one. */
class HalfLargePages extends CardTranslation {
  protected override partOf(page: number, pageLog: number): number {
    return page % 2 ** (pageLog - 1);
  }
}

export const KEY_FAULTS = faultsOf(KEY_ROWS, {
  card_rights_ignored: planted({}, { translation: RightsIgnored }),
  card_domain_unchecked: planted({}, { translation: DomainUnchecked }),
  card_key_index_only: planted({}, { translation: IndexOnly }),
  card_bounds_late: planted({}, { translation: LateBounds }),
  card_zero_base_lost: planted({}, { translation: UnsignedOffsets }),
  card_checks_after_write: planted({}, { responder: ChecksLater }),
  mtt_page_repeated: planted({}, { translation: RepeatedPages }),
  large_page_ignored: planted({}, { translation: PageSizeIgnored }),
  large_page_half: planted({}, { translation: HalfLargePages }),
});
