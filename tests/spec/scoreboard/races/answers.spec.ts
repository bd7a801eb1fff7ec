/** What a responder answers, by what has reached it. */

import { race } from './race.ts';

describe('a responder of a reliable connection', () => {
  race(
    'acknowledges nothing that has not arrived',
    '3.3',
    {},
    `
    0    write 0, lost
    3    ack 0                  => WIRE_ACK_UNARRIVED
  `,
  );

  race(
    'acknowledges nothing that is still on its way',
    '3.3',
    {},
    `
    0    write 0, arrives at 5
    3    ack 0                  => WIRE_ACK_UNARRIVED
  `,
  );

  race(
    'misses no packet behind which nothing has arrived',
    '3.5',
    {},
    `
    0    write 0..1, lost
    3    nak 0                  => WIRE_NAK 'behind which nothing has arrived'
  `,
  );

  race(
    'asks for a packet once',
    '3.5',
    {},
    `
    0    write 0..2, lost 0
    3    nak 0
    4    nak 0                  => WIRE_NAK 'once more'
  `,
  );

  race(
    'asks for a packet again that is lost once more',
    '3.5',
    {},
    `
    0    write 0..2, lost 0
    3    nak 0
    5    again 0..2, lost 1
    8    nak 1
  `,
  );

  race(
    'asks for nothing again that it has acknowledged',
    '3.5',
    {},
    `
    0    write 0
    0.5  write 1
    2    ack 1
    4    nak 1                  => WIRE_NAK 'acknowledged'
  `,
  );

  race(
    'answers a READ as often as that has arrived',
    '3.9',
    {},
    `
    0    read 0..1
    2    data 0..1
    4    data 0..1              => WIRE_RESPONSE 
  `,
  );

  race(
    'answers a READ twice that the link delivers twice',
    '3.9',
    {},
    `
    0    read 0..1, twice
    2    data 0..1
    4    data 0..1
  `,
  );

  race(
    'acknowledges nothing behind a READ that it has not answered',
    '3.9',
    {},
    `
    0    read 0..1
    0.5  write 2
    2    ack 2                  => WIRE_ACK_ORDER
  `,
  );

  race(
    'answers before it rests',
    '3.3',
    {},
    `
    0    write 0
    40   again 0                => SCB_UNANSWERED
  `,
  );

  race(
    'need not answer what has not arrived',
    '3.3',
    {},
    `
    0    write 0, lost
    40   again 0
  `,
  );

  race(
    'acknowledges no PSN that was not sent',
    '3.6',
    {},
    `
    0    write 0
    2    ack 1                  => WIRE_ACK_PSN
  `,
  );
});
