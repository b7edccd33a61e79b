import { DefaultFailureConverter, type ProtoFailure, TemporalFailure } from '@temporalio/common';

/**
 * Sends Temporal the class and the code of an error, never its text or stack: they may contain the address of an engine
 * or a receiver, or a path. The worker's log has both. Failures that we make for Temporal keep their text.
 */
class TerseFailureConverter extends DefaultFailureConverter {
  override errorToFailure(...parameters: Parameters<DefaultFailureConverter['errorToFailure']>): ProtoFailure {
    const [error] = parameters;
    const failure = super.errorToFailure(...parameters);
    if (error instanceof TemporalFailure) return { ...failure, stackTrace: '' };
    const { name, code } = error instanceof Error ? (error as Error & { code?: unknown }) : { name: 'Error' };
    const isCode = typeof code === 'string' && /^\w{1,40}$/.test(code);
    return { ...failure, message: isCode ? `${name}: ${code}` : name, stackTrace: '' };
  }
}

/** Temporal's SDK loads this by name. */
export const failureConverter = new TerseFailureConverter();
