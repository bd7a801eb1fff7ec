/** When a requester may send again, and from where on. */

import { expect } from 'chai';
import { WIDENING, type Widening } from '../../../../scoreboard/model/widenings.ts';
import { race, goesOtherwiseWithout } from './race.ts';

describe('a requester of a reliable connection', () => {
  race(
    'goes back to what a sequence NAK asks for, once that has come',
    '3.5',
    {},
    `
    0    write 0..2, lost 1
    2    nak 1
    4    again 1..2
    6    ack 2
    8    completes 0
  `,
  );

  race(
    'does not go back for a NAK that is still on its way',
    '3.5',
    {},
    `
    0    write 0..2, lost 1
    2    nak 1, arrives at 9
    5    again 1..2             => WIRE_RETRY WIRE_UNPROVOKED 'is sent again before its time-out'
  `,
  );

  race(
    'does not go back for a NAK that was lost',
    '3.5',
    {},
    `
    0    write 0..2, lost 1
    2    nak 1, lost
    5    again 0..2             => WIRE_UNPROVOKED
  `,
  );

  race(
    'goes back for a NAK once',
    '3.5',
    {},
    `
    0    write 0..2, lost 1
    2    nak 1
    4    again 1..2
    6    again 1..2             => WIRE_UNPROVOKED
  `,
  );

  race(
    'goes back to the packet that the NAK asks for, and to none behind that',
    '3.5',
    {},
    `
    0    write 0..3, lost 1
    2    nak 1
    4    again 2..3             => WIRE_RETRY 'no answer to PSN'
  `,
  );

  race(
    'has nothing to send again for a NAK that an acknowledgement of that packet follows',
    '3.6',
    {},
    `
    0    write 0..1, delayed to 3 0
    2    nak 0, arrives at 4
    4    ack 0
    20   others
    60   again 1
  `,
  );

  race(
    'goes back when its time-out may have expired, and no sooner',
    '3.8',
    {},
    `
    0    write 0, lost
    21   again 0                => WIRE_UNPROVOKED
  `,
  );

  race(
    'goes back when its time-out has expired',
    '3.8',
    {},
    `
    0    write 0, lost
    33   again 0
    35   ack 0
    37   completes 0
  `,
  );

  race(
    'retransmits what is left when an answer comes that was in flight when the time-out expired',
    '3.8',
    {},
    `
    0    write 0
    2    ack 0, arrives at 34
    15   write 1, lost
    35   again 1
  `,
  );

  race(
    'goes back for such an answer once',
    '3.8',
    {},
    `
    0    write 0
    2    ack 0, arrives at 34
    15   write 1, lost
    35   again 1, lost
    36   again 1                => WIRE_UNPROVOKED
  `,
  );

  race(
    'does not go back to a young packet where the answer to the one before came in time',
    '3.8',
    {},
    `
    0    write 0
    2    ack 0, arrives at 16
    15   write 1, lost
    17   again 1                => WIRE_UNPROVOKED
  `,
  );

  race(
    'does not go back to what was answered once it has dealt with that',
    '3.8',
    {},
    `
    0    write 0
    1    write 1, lost
    2    ack 0
    20   others
    40   again 0..1             => WIRE_UNPROVOKED 'after its answer'
  `,
  );

  race(
    'may go back to what was answered while the answer is on its way',
    '3.8',
    {},
    `
    0    write 0
    30   ack 0, arrives at 40
    34   again 0
    41   completes 0
  `,
  );

  race(
    'goes back to the oldest packet without an answer',
    '3.8',
    {},
    `
    0    write 0..2, lost
    40   again 1..2             => WIRE_RETRY
  `,
  );

  race(
    'answers a NAK that has come before it rests',
    '3.5',
    {},
    `
    0    write 0..1, lost 0
    2    nak 0
    20   others
    40   again 0..1             => WIRE_NAK_IGNORED 'a NAK had come at 3us'
  `,
  );

  race(
    'sends again as often as it may without an answer',
    '3.8',
    { retryCnt: 2 },
    `
    0    write 0, lost
    40   again 0, lost
    80   again 0, lost
    120  again 0, lost          => WIRE_RETRY '3'
  `,
  );

  race(
    'may send again as often anew once an answer has brought it on',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0..1, lost 1
    2    ack 0
    40   again 1, lost
    80   again 1, lost          => WIRE_RETRY 'retry no. 2'
  `,
  );

  race(
    'counts what a NAK asks for among its retries',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0..1, lost 0
    2    nak 0
    5    again 0..1, lost
    45   again 0..1             => WIRE_RETRY 'retry no. 2'
  `,
  );

  race(
    'spends no retry on the return to what a late answer has left',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0
    2    ack 0, arrives at 34
    15   write 1, lost
    35   again 1, lost
    75   again 1, lost
    115  again 1, lost          => WIRE_RETRY
  `,
  );

  race(
    'waits for as long as a receiver that is not ready asks',
    '3.4',
    {},
    `
    0    send 0
    2    rnr 0
    8    again 0                => WIRE_RNR 'before the receiver may be ready'
  `,
  );

  race(
    'tries again behind the wait for a receiver that is not ready',
    '3.4',
    {},
    `
    0    send 0
    2    rnr 0
    15   again 0
  `,
  );

  race(
    'tries a refused packet again as often as it may',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0
    15   again 0
    17   rnr 0
    30   again 0                => WIRE_RNR '2 refusals'
  `,
  );

  race(
    'counts no retry for a receiver that is not ready',
    '3.8',
    { retryCnt: 0 },
    `
    0    send 0
    2    rnr 0
    15   again 0
    17   rnr 0
    30   again 0
  `,
  );

  race(
    'waits for a receiver that is not ready before it obeys a NAK',
    '3.8',
    {},
    `
    0    send 0
    1    write 1
    2    rnr 0
    3    nak 0 => WIRE_NAK
    15   again 0..1
  `,
  );

  race(
    'asks again for the rest of a READ of which a part has come',
    '3.9',
    {},
    `
    0    read 0..3
    2    data 0..1
    2    data 2..3, lost
    40   again 2..3
    42   data 2..3
    44   completes 0
  `,
  );

  race(
    'asks again for a READ whose answer was lost when a later one passes that',
    '3.6',
    {},
    `
    0    read 0..1
    0.5  write 2
    2    data 0..1, lost
    4    ack 2
    6    again 0..1
    8    data 0..1
    10   completes 0
  `,
  );

  race(
    'does not ask again for parts of a READ that have come',
    '3.9',
    {},
    `
    0    read 0..3
    2    data 0..1
    2    data 2, lost
    3    data 3
    5    again 0..3             => WIRE_RETRY
  `,
  );

  race(
    'counts the retry for a NAK before the progress that has come behind the NAK',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0
    0.1  write 1, arrives at 2.2
    0.2  write 2
    2    nak 1
    2.5  ack 1
    4    again 2, lost
    45   again 2
  `,
  );

  race(
    'makes no second retry for a time-out where one is granted and was made for a NAK',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0..2, lost 1
    2    nak 1
    4    again 1..2, lost
    45   again 1..2             => WIRE_RETRY 'no. 2 since the last answer, and there may be 1: sent again at 4us, 45us'
  `,
  );

  race(
    'gives up for want of an answer only after all retries',
    '3.8',
    { retryCnt: 2 },
    `
    0    write 0, lost
    40   again 0, lost
    80   fails 0 retryExcErr    => SCB_STATUS '1 time (at 40us), and 2 are needed'
  `,
  );

  race(
    'gives up for want of an answer after all retries',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0, lost
    40   again 0, lost
    80   fails 0 retryExcErr
  `,
  );

  race(
    'may give up just before an answer arrives that leaves nothing open, or another packet',
    '3.8',
    { retryCnt: 0 },
    `
    0    write 0
    40   ack 0
    41.5 fails 0 retryExcErr
  `,
  );

  race(
    'may give up after a retry, just before an answer arrives that leaves another packet open',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0..1, lost
    40   again 0..1
    78   ack 0
    79.5 fails 0 retryExcErr
  `,
  );

  race(
    'gives up for an RNR NAK after as many waits as it has',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0
    14   again 0
    16   rnr 0
    18   fails 0 rnrRetryExcErr
  `,
  );

  race(
    'does not give up for an RNR NAK that the link repeats',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0, twice
    5    fails 0 rnrRetryExcErr => SCB_STATUS '1 refusal was waited for, and 2 are needed'
  `,
  );

  race(
    'does not give up where its answer has come',
    '3.8',
    { retryCnt: 0 },
    `
    0    write 0
    2    ack 0
    80   fails 0 retryExcErr    => SCB_STATUS 'had arrived at 3us'
  `,
  );

  race(
    'does not give up before the time-out of its last retry can have expired',
    '3.8',
    { retryCnt: 1, ackTimeout: 8 },
    `
    0     write 0, arrives at 3000
    1100  again 0, arrives at 3000
    1200  fails 0 retryExcErr   => SCB_STATUS
  `,
  );

  race(
    'gives up on a receiver that is not ready after as many refusals as it may',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0
    15   again 0
    17   rnr 0
    19   fails 0 rnrRetryExcErr
  `,
  );

  race(
    'does not give up on a receiver that is not ready sooner',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0
    5    fails 0 rnrRetryExcErr => SCB_STATUS '1 refusal was waited for'
  `,
  );

  race(
    'completes nothing of which no answer has come',
    '3.3',
    {},
    `
    0    write 0
    2    ack 0, arrives at 9
    5    completes 0            => SCB_EARLY
  `,
  );

  race(
    'does not go back for a NAK to a packet before the one that it asks for',
    '3.5',
    {},
    `
    0    write 0..2, lost 1
    2    nak 1
    4    again 0..2             => WIRE_UNPROVOKED 'the NAK asked for PSN'
  `,
  );

  race(
    'need not wait for a receiver that is not ready where its time-out may have expired before it heard of that',
    '3.8',
    {},
    `
    0    send 0
    2    rnr 0, arrives at 30
    31   again 0
  `,
  );

  race(
    'waits for a receiver that is not ready also behind a time-out that may have expired before it heard of that',
    '3.8',
    {},
    `
    0    send 0
    2    rnr 0, arrives at 30
    31   again 0
    33   rnr 0
    41   again 0
    43   ack 0
  `,
  );

  race(
    'waits once for a receiver that is not ready however often that says so meanwhile',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0, twice
    2    rnr 0
    4    rnr 0
    14   again 0
    16   rnr 0
    28   again 0                => WIRE_RNR '2 refusals'
  `,
  );

  race(
    'sends again as often as it may to a peer that is gone',
    '3.8',
    { retryCnt: 1 },
    `
    0    write 0, lost
    10   gone 1
    40   again 0, lost
    80   again 0, lost          => WIRE_RETRY 'retry no. 2'
  `,
  );

  race(
    'may go back where a packet that was sent again had no answer when the one before was answered',
    '3.8',
    {},
    `
    0    write 0..1, arrives at 39
    40   again 0, lost
    41   ack 1
    45   write 2, lost
    80   again 2
  `,
  );

  race(
    'counts the return for the answer of a READ that a later answer passes among its retries',
    '3.7',
    { retryCnt: 2 },
    `
    0    read 0
    0.5  write 1
    2    data 0, lost
    2.5  ack 1
    4    again 0..1, lost       # for the answer that is missing
    45   again 0..1, lost
    90   again 0..1             => WIRE_RETRY 'no answer has come'
  `,
  );

  race(
    'asks for the answer of a READ as often as it may when a later answer has passed that',
    '3.7',
    { retryCnt: 2 },
    `
    0    read 0
    0.5  write 1
    2    data 0, lost
    2.5  ack 1
    4    again 0..1, lost
    45   again 0..1
    47   data 0
    47.5 ack 1
    49   completes 0
    49.5 completes 1
  `,
  );

  race(
    'tries a refused packet again as often as it was told last, where that is less',
    '3.8',
    { rnrRetry: 2 },
    `
    0    send 0
    2    rnr 0
    14   again 0
    15   change rnrRetry=1
    16   rnr 0
    28   again 0                => WIRE_RNR 'one too many'
  `,
  );

  race(
    'tries a refused packet again as often as it was told last, where that is more',
    '3.8',
    { rnrRetry: 1 },
    `
    0    send 0
    2    rnr 0
    14   again 0
    15   change rnrRetry=2
    16   rnr 0
    28   again 0
  `,
  );

  race(
    'may have timed out before it sends the packet that a NAK asks for, and take that for one which it has dealt with',
    '3.8',
    {},
    `
    0    write 0..1
    39.5 ack 1
    40   again 0, lost
    41   again 1, lost
    81   write 2..3, lost 2
    83   nak 2
    100  others
    124  again 2..3
  `,
  );

  race(
    'does not wait for its time-out when a NAK has come and it had nothing under way before',
    '3.5',
    {},
    `
    0    write 0..1
    39.5 ack 1
    81   write 2..3, lost 2
    83   nak 2
    100  others
    124  again 2..3             => WIRE_NAK_IGNORED
  `,
  );
});

describe('a widening of the rules of retransmissions', () => {
  for (const [name, { spec }] of Object.entries(WIDENING) as [string, Widening][])
    if (!spec.startsWith('+') && !spec.endsWith('.ts'))
      it(`is needed by the row that it names: ${name}`, () => {
        expect(goesOtherwiseWithout(name, spec)).to.equal(true);
      });
});
