import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { withFreshSignIn } from './fresh-sign-in.ts';

interface Options<Input, Result> {
  /** The start of the keys of the queries that the action outdates. */
  refresh: QueryKey;
  onDone?: (result: Result, input: Input) => void;
  /** For actions without a dialog, which would show the error. */
  onFailed?: (error: Error) => void;
}

/**
 * An action that changes something. It asks for a recent sign-in if the server does, and reads what changed again before
 * it is done, so that nobody sees the old state after a dialog has closed.
 */
export function useChange<Input = void, Result = unknown>(
  action: (input: Input) => Promise<Result>,
  { refresh, onDone, onFailed }: Options<Input, Result>,
) {
  const queryClient = useQueryClient();
  return useMutation<Result, Error, Input>({
    mutationFn: async (input) => {
      const result = await withFreshSignIn(() => action(input));
      await queryClient.invalidateQueries({ queryKey: refresh });
      return result;
    },
    onSuccess: (result, input) => onDone?.(result, input),
    onError: (error) => onFailed?.(error),
  });
}
