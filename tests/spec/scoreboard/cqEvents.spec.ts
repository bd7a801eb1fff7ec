import { expect } from 'chai';
import { CqEvents, INTEREST } from '../../../scoreboard/checks/cqEvents.ts';
import { Findings } from '../../../uvm/report/findings.ts';

const { none, open, solicited } = INTEREST;

/** Events of CQ 300 of host 1. */
class Bench {
  readonly texts: string[] = [];
  readonly events: CqEvents;

  constructor() {
    const error = (id: string, text: string | (() => string)): void => {
      this.texts.push(`${id} ${typeof text === 'string' ? text : text()}`);
    };
    this.events = new CqEvents(new Findings({ error, countError: () => {}, errorNote: error }, 10));
  }

  get ids(): (string | undefined)[] {
    return this.texts.map((text) => text.split(' ')[0]);
  }

  arm(solicitedOnly: boolean, unseen = 0): this {
    this.events.arm(1, 300, solicitedOnly, unseen);
    return this;
  }

  come(...interests: (0 | 1 | 2)[]): this {
    for (const interest of interests) this.events.completed(1, 300, interest);
    return this;
  }

  event(): this {
    this.events.event(1, 300);
    return this;
  }

  quiet(): this {
    this.events.quiet();
    return this;
  }
}

describe('CqEvents', () => {
  it('must not come for a queue that is not armed, nor more often than it was', () => {
    expect(new Bench().event().texts).to.deep.equal(['SCB_EVENT_UNARMED host 1 CQ 300 fired without being armed']);
    expect(new Bench().arm(false).come(none).event().event().ids).to.deep.equal(['SCB_EVENT_UNARMED']);
    const twice = new Bench().arm(true).come(solicited).arm(false).come(none).event().event();
    expect(twice.texts).to.deep.equal([]);
    expect(twice.event().ids).to.deep.equal(['SCB_EVENT_UNARMED']);
  });

  it('must not come for a queue in which nothing has come since it was armed', () => {
    const b = new Bench().arm(false).come(none).event().arm(false).event();
    expect(b.texts).to.deep.equal([
      'SCB_EVENT_EMPTY host 1 CQ 300 fired for the next completion, but none has come since: software had taken all when ' +
        'it was armed',
    ]);
  });

  it('come for solicited completions, and for those of which nobody can tell', () => {
    const b = new Bench().arm(true).come(none, none, solicited).event().arm(true).come(none, open).event();
    expect(b.quiet().quiet().texts).to.deep.equal([]);
  });

  it('must not come for others', () => {
    const b = new Bench().arm(true).come(solicited).event().arm(true).come(none, none).event();
    expect(b.texts).to.deep.equal([
      'SCB_UNSOLICITED host 1 CQ 300 fired although it was armed for solicited completions, but of the 2 that software ' +
        'had not taken then none is solicited or an error',
    ]);
  });

  it('may come for what was there when the queue was armed, and had not been taken', () => {
    expect(new Bench().arm(true, 2).event().texts).to.deep.equal([]);
    const b = new Bench().arm(true).come(none, solicited).event().arm(true, 1).event();
    expect(b.texts).to.deep.equal([]);
    expect(b.arm(true).come(none).event().ids).to.deep.equal(['SCB_UNSOLICITED']);
  });

  it('have come by the quiet moment after the next, or are lost', () => {
    const b = new Bench().arm(true).come(none, solicited, none).quiet();
    expect(b.texts).to.deep.equal([]);
    expect(b.quiet().quiet().texts).to.deep.equal([
      'SCB_EVENT_LOST host 1 CQ 300 is armed for solicited completions, and 3 have come that software had not taken when ' +
        'it armed the queue, a solicited one or an error among them; the NIC has sent no event',
    ]);
    const late = new Bench().arm(true).come(solicited).quiet().event();
    expect(late.quiet().quiet().texts).to.deep.equal([]);
  });

  it('are lost with their queue, and then belong to the next one of its number', () => {
    const b = new Bench().arm(true).come(solicited).quiet();
    b.events.gone(1, 300);
    expect(b.ids).to.deep.equal(['SCB_EVENT_LOST']);
    b.arm(true).come(none).quiet().quiet();
    expect(b.texts).to.have.length(1);
  });

  it('are not owed for what nobody can tell, nor to a queue that is not armed', () => {
    expect(new Bench().arm(true).come(open, none).quiet().quiet().texts).to.deep.equal([]);
    const b = new Bench().arm(true).come(solicited).event().come(solicited);
    expect(b.quiet().quiet().texts).to.deep.equal([]);
  });

  it('come for any completion once that was asked for, whatever is asked for besides', () => {
    const b = new Bench().arm(true).come(none).arm(false).quiet().quiet();
    expect(b.texts).to.deep.equal([]);
    expect(b.come(none).event().texts).to.deep.equal([]);
    expect(b.arm(false).come(none).quiet().quiet().ids).to.deep.equal(['SCB_EVENT_LOST']);
  });

  it('may be two where a queue was armed twice', () => {
    const b = new Bench().arm(true).come(solicited).arm(true).event().arm(true).event();
    expect(b.texts).to.deep.equal([]);
    expect(b.come(none).arm(true).event().ids).to.deep.equal([]);
  });

  it('are owed for any completion where that is asked for, also for one that lay there unseen', () => {
    expect(new Bench().arm(false).quiet().quiet().texts).to.deep.equal([]);
    expect(new Bench().arm(false).come(none).event().quiet().quiet().texts).to.deep.equal([]);
    for (const b of [new Bench().arm(false).come(none), new Bench().arm(false, 1)])
      expect(b.quiet().quiet().quiet().texts).to.deep.equal([
        'SCB_EVENT_LOST host 1 CQ 300 is armed for any completion, and 1 have come that software had not taken when it ' +
          'armed the queue; the NIC has sent no event',
      ]);
  });
});
