import { expect } from 'chai';
import { waitFirst } from '../../../../uvm/kernel/anyOf.ts';
import { Event } from '../../../../uvm/kernel/event.ts';
import {
  delay,
  join,
  joinAll,
  joinAny,
  type Proc,
  ProcessError,
  ProcessManager,
  ProcessUsageError,
  type Wait,
} from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

describe('Process', () => {
  let scheduler: Scheduler;
  let manager: ProcessManager;
  let log: string[];
  const note = (text: string): void => {
    log.push(`${scheduler.now} ${text}`);
  };

  beforeEach(() => {
    scheduler = new Scheduler();
    manager = new ProcessManager(scheduler);
    log = [];
  });

  // biome-ignore lint/correctness/useYield: a body may end without waiting.
  function* noting(text: string): Proc {
    note(text);
  }

  function* sleeper(name: string, time: number): Proc<string> {
    try {
      yield* delay(time);
      note(`${name} done`);
      return name;
    } finally {
      note(`${name} unwound`);
    }
  }

  describe('waiting', () => {
    it('takes the time of its delays and returns its result', () => {
      function* nested(): Proc<number> {
        yield* delay(5);
        return 7;
      }
      const p = manager.spawn(
        'p',
        (function* (): Proc<number> {
          yield* delay(10);
          return (yield* nested()) + 1;
        })(),
      );
      expect(p.state).to.equal('ready');
      scheduler.run(12);
      expect(p.state).to.equal('parked');
      expect(p.waitsFor).to.equal('delay until 15ps');
      expect(p.since).to.equal(10);
      scheduler.run();
      expect(p.state).to.equal('finished');
      expect(p.result).to.equal(8);
      expect(p.waitsFor).to.equal('');
      expect(scheduler.now).to.equal(15);
    });

    it('begins later in the instant of its start, in order of starting', () => {
      manager.spawn(
        'a',
        (function* (): Proc {
          note('a');
          manager.spawn('c', noting('c'));
          note('a goes on');
          yield* delay(1);
        })(),
      );
      manager.spawn('b', noting('b'));
      expect(log).to.deep.equal([]);
      scheduler.run();
      expect(log).to.deep.equal(['0 a', '0 a goes on', '0 b', '0 c']);
    });

    it('lets others go first with a delay of 0', () => {
      manager.spawn(
        'a',
        (function* (): Proc {
          yield* delay(0);
          note('a');
        })(),
      );
      manager.spawn('b', noting('b'));
      scheduler.run();
      expect(log).to.deep.equal(['0 b', '0 a']);
    });

    it('rejects a negative or fractional delay where it is asked for', () => {
      for (const bad of [-1, 0.5, Number.NaN]) expect(() => delay(bad)).to.throw(RangeError, `${bad} ps`);
    });

    it('throws into a body that yields something that is no wait', () => {
      for (const wrong of [undefined, 'x', {}, -5] as unknown as Wait[]) {
        let error: unknown;
        manager.spawn(
          'top',
          (function* (): Proc {
            try {
              yield wrong;
            } catch (e) {
              error = e;
            }
          })(),
        );
        scheduler.run();
        expect(error).to.be.instanceOf(wrong === (-5 as Wait) ? RangeError : ProcessUsageError);
      }
    });

    it('knows the running process, also while others unwind', () => {
      const seen: (string | undefined)[] = [];
      const victim = manager.spawn(
        'victim',
        (function* (): Proc {
          try {
            yield* delay(100);
          } finally {
            seen.push(manager.current?.name);
          }
        })(),
      );
      manager.spawn(
        'killer',
        (function* (): Proc {
          yield* delay(1);
          victim.kill();
          seen.push(manager.current?.name);
        })(),
      );
      scheduler.run();
      expect(seen).to.deep.equal(['victim', 'killer']);
      expect(manager.current).to.equal(null);
    });
  });

  describe('joining', () => {
    it('returns the result, before or after the end', () => {
      const results: unknown[] = [];
      const p = manager.spawn('p', sleeper('p', 10));
      for (const start of [0, 20]) {
        manager.spawn(
          `j${start}`,
          (function* (): Proc {
            yield* delay(start);
            results.push(yield* join(p), scheduler.now);
          })(),
        );
      }
      scheduler.run();
      expect(results).to.deep.equal(['p', 10, 'p', 20]);
    });

    it('gives undefined for a killed process', () => {
      const p = manager.spawn('p', sleeper('p', 10));
      let result: unknown = 'unset';
      manager.spawn(
        'j',
        (function* (): Proc {
          result = yield* join(p);
          note('joined');
        })(),
      );
      scheduler.run(5);
      p.kill();
      scheduler.run();
      expect(result).to.equal(undefined);
      expect(log).to.deep.equal(['5 p unwound', '5 joined']);
    });

    it('joinAny returns the first to end and leaves the others alone', () => {
      const all = [30, 10, 20].map((t) => manager.spawn(`s${t}`, sleeper(`s${t}`, t)));
      manager.spawn(
        'j',
        (function* (): Proc {
          note(`first ${(yield* joinAny(all)).name}`);
          note(`at once ${(yield* joinAny(all)).name}`);
        })(),
      );
      scheduler.run();
      expect(log.filter((l) => !l.includes('unwound'))).to.deep.equal([
        '10 s10 done',
        '10 first s10',
        '10 at once s10',
        '20 s20 done',
        '30 s30 done',
      ]);
    });

    it('joinAll returns all results in the order of the list', () => {
      const all = [30, 10, 20].map((t) => manager.spawn(`s${t}`, sleeper(`s${t}`, t)));
      const j = manager.spawn('j', joinAll(all));
      scheduler.run();
      expect(j.result).to.deep.equal(['s30', 's10', 's20']);
    });

    it('triggers done, also for who asks after the end', () => {
      const p = manager.spawn('p', sleeper('p', 10));
      manager.spawn(
        'w',
        (function* (): Proc {
          note(`done ${(yield* p.done.wait()).name}`);
        })(),
      );
      scheduler.run();
      expect(log).to.include('10 done p');
      const q = manager.spawn('q', sleeper('q', 1));
      scheduler.run();
      expect(q.done.isOn).to.equal(true);
    });
  });

  describe('killing', () => {
    it('unwinds finally blocks at once, innermost first, and wakes who joined', () => {
      function* outer(): Proc {
        try {
          yield* sleeper('inner', 100);
        } finally {
          note('outer unwound');
        }
      }
      const p = manager.spawn('p', outer());
      manager.spawn(
        'j',
        (function* (): Proc {
          yield* join(p);
          note('joined');
        })(),
      );
      scheduler.run(10);
      p.kill();
      expect(p.state).to.equal('killed');
      expect(log).to.deep.equal(['10 inner unwound', '10 outer unwound']);
      scheduler.run();
      expect(log[2]).to.equal('10 joined');
    });

    it('leaves no stale wake-up behind', () => {
      const p = manager.spawn('p', sleeper('p', 100));
      scheduler.run(10);
      p.kill();
      p.kill();
      scheduler.run();
      expect(log).to.deep.equal(['10 p unwound']);
      expect(manager.all()).to.deep.equal([]);
    });

    it('ends a process that has not begun', () => {
      const p = manager.spawn('p', sleeper('p', 100));
      p.kill();
      scheduler.run();
      expect(log).to.deep.equal([]);
      expect(p.state).to.equal('killed');
    });

    it('takes children along, youngest first, but not daemons', () => {
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          manager.spawn('a', sleeper('a', 100));
          manager.spawn('b', sleeper('b', 100));
          manager.spawn('d', sleeper('d', 100), { daemon: true });
          yield* sleeper('p', 1000);
        })(),
      );
      scheduler.run(10);
      expect(p.children.map((c) => c.fullName)).to.deep.equal(['p.a', 'p.b']);
      p.kill();
      expect(log).to.deep.equal(['10 b unwound', '10 a unwound', '10 p unwound']);
      scheduler.run();
      expect(log.slice(3)).to.deep.equal(['100 d done', '100 d unwound']);
    });

    it('takes children along when the parent ends by itself', () => {
      manager.spawn(
        'p',
        (function* (): Proc {
          manager.spawn('c', sleeper('c', 100));
          yield* delay(5);
        })(),
      );
      scheduler.run();
      expect(log).to.deep.equal(['5 c unwound']);
    });

    it('lets a process that kills itself, or its parent, go on to its next wait', () => {
      function* parentBody(): Proc {
        manager.spawn(
          'child',
          (function* (): Proc {
            try {
              yield* delay(1);
              parent.kill();
              note('child goes on');
              yield* delay(1);
              note('never');
            } finally {
              note('child unwound');
            }
          })(),
        );
        yield* sleeper('parent', 100);
      }
      const parent = manager.spawn('parent', parentBody());
      scheduler.run();
      expect(log).to.deep.equal(['1 parent unwound', '1 child goes on', '1 child unwound']);
      expect(manager.all()).to.deep.equal([]);
    });

    it('refuses to wait in a finally block, after unwinding the rest', () => {
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          try {
            try {
              yield* delay(100);
            } finally {
              yield* delay(5);
            }
          } finally {
            note('rest unwound');
          }
        })(),
      );
      scheduler.run(1);
      expect(() => p.kill()).to.throw(ProcessUsageError, 'process p waits for a delay of 5ps in a finally block');
      expect(log).to.deep.equal(['1 rest unwound']);
      expect(p.state).to.equal('killed');
      scheduler.run();
    });

    it('kills everything at the end of a run', () => {
      manager.spawn('a', sleeper('a', 10));
      manager.spawn('d', sleeper('d', 10), { daemon: true });
      scheduler.run(1);
      manager.killAll();
      expect(log).to.deep.equal(['1 d unwound', '1 a unwound']);
      expect(manager.all()).to.deep.equal([]);
    });
  });

  describe('errors', () => {
    const failing = (time: number): Proc =>
      (function* (): Proc {
        yield* delay(time);
        throw new Error('child failed');
      })();

    it('reach the parent where it waits', () => {
      manager.spawn(
        'p',
        (function* (): Proc {
          manager.spawn('c', failing(5));
          try {
            yield* delay(100);
          } catch (error) {
            note((error as Error).message);
          }
          yield* delay(1);
          note('goes on');
        })(),
      );
      scheduler.run();
      expect(log).to.deep.equal(['5 child failed', '6 goes on']);
    });

    it('are thrown once when the parent joins the child', () => {
      manager.spawn(
        'p',
        (function* (): Proc {
          const c = manager.spawn('c', failing(5));
          try {
            yield* join(c);
          } catch (error) {
            note((error as Error).message);
          }
          yield* delay(10);
          note(`${c.state} ${(c.error as Error).message}`);
        })(),
      );
      scheduler.run();
      expect(log).to.deep.equal(['5 child failed', '15 failed child failed']);
    });

    it('of two children at one instant both reach the parent', () => {
      manager.spawn(
        'p',
        (function* (): Proc {
          manager.spawn('c1', failing(5));
          manager.spawn('c2', failing(5));
          for (let i = 0; i < 2; i++) {
            try {
              yield* delay(100);
            } catch (error) {
              note((error as Error).message);
            }
          }
        })(),
      );
      scheduler.run();
      expect(log).to.deep.equal(['5 child failed', '5 child failed']);
    });

    it('pass through parents that do not catch them and fail the run with the path', () => {
      manager.spawn(
        'top',
        (function* (): Proc {
          manager.spawn(
            'mid',
            (function* (): Proc {
              manager.spawn('low', failing(5));
              yield* sleeper('mid', 100);
            })(),
          );
          yield* sleeper('top', 100);
        })(),
      );
      let error: unknown;
      try {
        scheduler.run();
      } catch (e) {
        error = e;
      }
      expect(error).to.be.instanceOf(ProcessError);
      expect((error as ProcessError).message).to.equal('process top failed at 5ps: child failed');
      expect(((error as ProcessError).cause as Error).message).to.equal('child failed');
      expect(log).to.deep.equal(['5 mid unwound', '5 top unwound']);
    });

    it('without a parent go to who joins, else to onFailure', () => {
      const failures: string[] = [];
      manager.onFailure = (error) => failures.push(error.message);
      const joined = manager.spawn('joined', failing(5));
      manager.spawn(
        'j',
        (function* (): Proc {
          try {
            yield* join(joined);
          } catch (error) {
            note((error as Error).message);
          }
        })(),
      );
      manager.spawn('alone', failing(6));
      scheduler.run();
      expect(log).to.deep.equal(['5 child failed']);
      expect(failures).to.deep.equal(['process alone failed at 6ps: child failed']);
    });

    it('thrown by a finally block reach who kills', () => {
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          try {
            yield* delay(100);
          } finally {
            note('unwinding');
            throwing();
          }
        })(),
      );
      scheduler.run(1);
      expect(() => p.kill()).to.throw('bad cleanup');
      expect(p.state).to.equal('killed');
    });

    it('pending for a process that is killed go on to its parent', () => {
      manager.spawn(
        'top',
        (function* (): Proc {
          const mid = manager.spawn(
            'mid',
            (function* (): Proc {
              manager.spawn('low', failing(5));
              yield* delay(100);
            })(),
          );
          // Killed at the instant of the failure, before the error could be thrown.
          manager.spawn(
            'killer',
            (function* (): Proc {
              yield* delay(4);
              yield* delay(1);
              mid.kill();
            })(),
          );
          try {
            yield* delay(100);
          } catch (error) {
            note((error as Error).message);
          }
        })(),
      );
      scheduler.run();
      expect(log).to.deep.equal(['5 child failed']);
    });
  });

  describe('interrupt', () => {
    it('throws where the process waits and forgets the wait', () => {
      const event = new Event<number>('e');
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          try {
            yield* event.wait();
          } catch (error) {
            note((error as Error).message);
          }
          yield* delay(10);
          note('goes on');
        })(),
      );
      scheduler.run();
      p.interrupt(new Error('wake up'));
      expect(event.waiting).to.equal(0);
      event.trigger(1);
      scheduler.run();
      expect(log).to.deep.equal(['0 wake up', '10 goes on']);
      p.interrupt(new Error('too late'));
      scheduler.run();
    });
  });

  describe('waitFirst', () => {
    it('ends with the first of several waits and forgets the others', () => {
      const a = new Event<string>('a');
      const b = new Event<string>('b');
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          const first = yield* waitFirst([a, b, 50]);
          note(`${first.index} ${first.value}`);
          const second = yield* waitFirst([a, b, 50]);
          note(`${second.index} ${second.value}`);
          yield* delay(1000);
          note('end');
        })(),
      );
      scheduler.run(10);
      expect(p.waitsFor).to.equal('first of (event a, event b, 50ps)');
      b.trigger('x');
      a.trigger('too late');
      scheduler.run();
      expect(log).to.deep.equal(['10 1 x', '60 2 undefined', '1060 end']);
      expect([a.waiting, b.waiting]).to.deep.equal([0, 0]);
    });

    it('takes what is over already, first in the list', () => {
      const p = manager.spawn('p', sleeper('p', 1));
      scheduler.run();
      manager.spawn(
        'w',
        (function* (): Proc {
          note(`${(yield* waitFirst([10, p, p])).index}`);
        })(),
      );
      scheduler.run();
      expect(log[2]).to.equal('1 1');
    });

    it('forgets all waits when the process is killed', () => {
      const a = new Event('a');
      const p = manager.spawn(
        'p',
        (function* (): Proc {
          yield* waitFirst([a, 50]);
        })(),
      );
      scheduler.run(10);
      p.kill();
      expect(a.waiting).to.equal(0);
      scheduler.run();
    });

    it('refuses an empty list', () => {
      manager.spawn(
        'p',
        (function* (): Proc {
          yield* waitFirst([]);
        })(),
      );
      expect(() => scheduler.run()).to.throw(ProcessError, 'never end');
    });
  });

  describe('spawn', () => {
    it('builds paths from parents, given or running', () => {
      const names: string[] = [];
      const top = manager.spawn('top', sleeper('top', 100));
      const given = manager.spawn('given', sleeper('given', 10), { parent: top });
      names.push(given.fullName);
      manager.spawn(
        'r',
        (function* (): Proc {
          names.push(manager.spawn('child', sleeper('child', 1)).fullName);
          names.push(manager.spawn('free', sleeper('free', 1), { parent: null }).fullName);
          yield* delay(2);
        })(),
      );
      scheduler.run();
      expect(names).to.deep.equal(['top.given', 'r.child', 'free']);
    });

    it('refuses a parent that has ended', () => {
      const p = manager.spawn('p', sleeper('p', 1));
      scheduler.run();
      expect(() => manager.spawn('c', sleeper('c', 1), { parent: p })).to.throw(
        ProcessUsageError,
        'p of process c has ended',
      );
    });

    it('lists all processes, parents first, and those that wait', () => {
      manager.spawn(
        'a',
        (function* (): Proc {
          manager.spawn('b', sleeper('b', 5));
          yield* delay(10);
        })(),
      );
      manager.spawn('c', sleeper('c', 10));
      scheduler.run(1);
      expect(manager.all().map((p) => p.fullName)).to.deep.equal(['a', 'a.b', 'c']);
      expect(manager.parked().length).to.equal(3);
    });
  });
});

function throwing(): void {
  throw new Error('bad cleanup');
}
