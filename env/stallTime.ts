/** For the parameters of a run, which do not see the scoreboard. */
export { DEFAULT_STALL_TIME } from '../scoreboard/model/options.ts';
