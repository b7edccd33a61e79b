import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { withFreshSignIn } from './fresh-sign-in.ts';

interface Options<Input, Result> {
  /** The start of the keys of the queries that the action outdates. */
  refresh: QueryKey;
  onDone?: (result: Result, input: Input) => void;
  /** For actions without a dialog, which would show the error. */
  onFailed?: (error: Error) => void;
}

/** An action that changes something, asks for a recent sign-in if need be, and reads the changes before it is done. */
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
