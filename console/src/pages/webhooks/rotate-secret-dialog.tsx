import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { type Overlap, OverlapSelect } from '../../design/overlap-select.tsx';
import { Problem } from '../../design/states.tsx';

/** Replaces a secret that signs events. */
export function RotateSecretDialog({
  title,
  rotate,
  onRotated,
  onClose,
}: {
  title: string;
  rotate: (request: { overlap_seconds: number }) => Promise<{ secret: string }>;
  onRotated: (secret: string) => void;
  onClose: () => void;
}) {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const save = useMutation({
    mutationFn: () => withFreshSignIn(() => rotate({ overlap_seconds: Number(overlap) })),
    onSuccess: ({ secret }) => onRotated(secret),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      lead="Your receiver verifies the signature of each event with this secret. Configure the new secret there before the old one expires."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
            Rotate secret
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <OverlapSelect
          label="The old secret also signs for"
          value={overlap}
          onChange={setOverlap}
          hintAtOnce="Your receiver refuses events until it has the new secret. Choose this if the old one has leaked."
          hint="Until then, events have both signatures, so your receiver accepts them with either secret."
        />
        {save.isError && <Problem isInline error={save.error} />}
      </div>
    </Dialog>
  );
}
