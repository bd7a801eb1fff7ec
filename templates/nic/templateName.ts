import { type Frame, hangu, type NicEntry } from 'rnic-verify/dut';

/** HanGu that loses what it hears: a planted bug, so that the list can show that it is found. */
class DeafNic extends hangu.HanguNic {
  #turn = 0;

  override receive(frame: Frame): void {
    if (++this.#turn % 3 !== 0) super.receive(frame);
  }
}

/** A NIC model on the base of HanGu. Replace parts of it, or all: docs/connecting-a-dut.md. */
export const TEMPLATE_NAME: NicEntry = {
  ...hangu.HANGU_KIND,
  name: 'template_name',
  base: 'hangu',
  description: 'HanGu with changes of our own',
  faults: [{ name: 'every_third', description: 'every third frame is not heard' }],
  knobs: hangu.HANGU_KNOBS,
  nic: (fault) => (context, knobs) => {
    const Made = fault === 'every_third' ? DeafNic : hangu.HanguNic;
    return new Made(context, hangu.resolveHanguConfig(knobs));
  },
};
