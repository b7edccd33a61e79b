/** The machine does not offer what is needed to run safely. The message is for the operator and says what to change. */
export class UnsafeMachine extends Error {}
