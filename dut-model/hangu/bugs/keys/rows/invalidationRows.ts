/** How the bugs of invalidationFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { played, sequence } from '../keyStimulus.ts';

const block = 'memory keys';
const STATUS = ['SCB_STATUS'] as const;
const ANSWERED = ['SCB_STATUS', 'SCB_ANSWERED'] as const;
const REGISTRATION = sequence('fast_registration', 7);

export const INVALIDATION_ROWS = [
  {
    name: 'invalidation_undone',
    block,
    description: 'what is invalidated stays open',
    caughtBy: ANSWERED,
    needs: played('G148'),
  },
  {
    name: 'invalidation_note_kept',
    block,
    description: 'the translation goes on with what it has noted of a region that is invalidated',
    caughtBy: ANSWERED,
    needs: REGISTRATION,
  },
  {
    name: 'local_invalidation_lost',
    block,
    description: 'every third LOCAL_INV succeeds and does nothing',
    caughtBy: STATUS,
    needs: REGISTRATION,
  },
  {
    name: 'local_invalidation_silent',
    block,
    description: 'a LOCAL_INV that fails ends with success',
    caughtBy: STATUS,
    needs: played('G150'),
  },
  {
    name: 'local_invalidation_unfenced',
    block: 'requester',
    description: 'LOCAL_INV does not wait for READs in front of it',
    caughtBy: STATUS,
    needs: REGISTRATION,
  },
  {
    name: 'invalidation_of_type1',
    block,
    description: 'windows of type 1 may be invalidated',
    caughtBy: STATUS,
    needs: played('G251'),
  },
  {
    name: 'invalidation_of_any_pair',
    block,
    description: 'a window of type 2 may be invalidated by any queue pair',
    caughtBy: STATUS,
    needs: played('G252', 2),
  },
  {
    name: 'invalidation_of_any_region',
    block,
    description: 'a SEND may invalidate any region',
    caughtBy: STATUS,
    needs: sequence('window_rules', 3),
  },
  {
    name: 'invalidation_of_free',
    block,
    description: 'what opens nothing may be invalidated',
    caughtBy: STATUS,
    needs: sequence('window_rules', 4),
  },
  {
    name: 'remote_invalidation_lost',
    block: 'responder',
    description: 'a SEND with invalidate succeeds and invalidates nothing',
    caughtBy: ANSWERED,
    needs: played('T-062'),
  },
  {
    name: 'remote_invalidation_of_other',
    block: 'responder',
    description: 'a SEND with invalidate takes the key beside the one that it names',
    caughtBy: STATUS,
    needs: played('T-062'),
  },
  {
    name: 'remote_invalidation_forgiven',
    block: 'responder',
    description: 'a SEND whose key may not be invalidated succeeds all the same',
    caughtBy: STATUS,
    needs: played('T-063', 2),
  },
  {
    name: 'remote_invalidation_late',
    block: 'responder',
    description: 'a SEND with invalidate does so 30 us after its receive has completed',
    caughtBy: ANSWERED,
    needs: played('T-062'),
  },
  {
    name: 'remote_invalidation_answered',
    block: 'responder',
    description: 'a SEND whose key may not be invalidated is acknowledged',
    caughtBy: STATUS,
    needs: played('T-063', 2),
  },
  {
    name: 'invalidated_key_not_told',
    block: 'responder',
    description: 'the completion of a receive does not say which key was invalidated',
    caughtBy: ['SCB_IMM'],
    needs: played('G247'),
  },
  {
    name: 'invalidated_key_sent_wrong',
    block: 'request packets',
    description: 'a SEND with invalidate carries the neighbour of its key',
    caughtBy: ['SCB_WIRE_REQUEST'],
    needs: played('G247'),
  },
  {
    name: 'invalidating_send_as_immediate',
    block: 'request packets',
    description: 'a SEND with invalidate leaves as one with immediate data',
    caughtBy: ['SCB_WIRE_REQUEST'],
    needs: played('G247'),
  },
  {
    name: 'key_change_unreported',
    block: 'send completion',
    description: 'requests that change keys have no completion when they succeed',
    caughtBy: ['SCB_MISSING', 'SCB_STUCK', 'SCB_ORDER'],
    needs: REGISTRATION,
  },
  {
    name: 'key_change_opcode',
    block: 'send completion',
    description: 'requests that change keys complete as SENDs',
    caughtBy: ['SCB_OPCODE'],
    needs: played('G129'),
  },
  {
    name: 'registration_twice',
    block,
    description: 'a region that is registered may be registered by a request',
    caughtBy: STATUS,
    needs: REGISTRATION,
  },
  {
    name: 'registration_lost',
    block,
    description: 'every third registration by a request succeeds and does nothing',
    caughtBy: STATUS,
    needs: REGISTRATION,
  },
  {
    name: 'registration_pages_unchecked',
    block,
    description: 'a request may register more pages than a region has room for',
    caughtBy: STATUS,
    needs: REGISTRATION,
  },
  {
    name: 'registration_page_repeated',
    block,
    description: 'the third page of a list is taken to be its second',
    caughtBy: ['SCB_DATA', 'SCB_WIRE_DATA', 'SCB_STRAY_WRITE', 'SCB_GUARD'],
    needs: REGISTRATION,
  },
  {
    name: 'registration_rights_all',
    block,
    description: 'regions that requests register have all rights',
    caughtBy: ['SCB_STATUS', 'SCB_STRAY_WRITE', 'SCB_GUARD'],
    needs: REGISTRATION,
  },
] as const satisfies readonly FaultRow[];
