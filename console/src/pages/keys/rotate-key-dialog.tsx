import type { ApiKey, IssuedApiKey } from '@kinora/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { type Overlap, OverlapSelect } from '../../design/overlap-select.tsx';
import { Problem } from '../../design/states.tsx';

/** Replaces a key with a new one while the old one keeps working for a while. */
export function RotateKeyDialog({
  apiKey,
  onRotated,
  onClose,
}: {
  apiKey: ApiKey;
  onRotated: (key: IssuedApiKey) => void;
  onClose: () => void;
}) {
  const { kinora } = useProject();
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const rotate = useMutation({
    mutationFn: () =>
      withFreshSignIn(async () => kinora.apiKeys.rotate(apiKey.id, { overlap_seconds: Number(overlap) })),
    onSuccess: onRotated,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rotate “${apiKey.name}”`}
      lead="You get a new key with the same name and scopes. Put it into your program before the old key stops working."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
            Rotate key
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <OverlapSelect
          label={`The old key, …${apiKey.last_four}, still works for`}
          value={overlap}
          onChange={setOverlap}
          hintAtOnce="Programs that still use the old key are refused at once. Choose this if the key has leaked."
          hint="Both keys work until then."
        />
        {rotate.isError && <Problem isInline error={rotate.error} />}
      </div>
    </Dialog>
  );
}
