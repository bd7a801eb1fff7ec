/** What went wrong before a run could start; its text is for the user. */
export class BootstrapError extends Error {}
