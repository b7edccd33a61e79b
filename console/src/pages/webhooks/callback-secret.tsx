import type { CallbackSecret as Secret } from '@kinora/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { withFreshSignIn } from '../../api/fresh-sign-in.ts';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem } from '../../design/states.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';

/** The secret that signs what is sent to the callback URLs of tasks. */
export function CallbackSecret() {
  const { kinora, mode } = useProject();
  const [shown, setShown] = useState<Pick<Secret, 'secret' | 'previous_expires_at'> | null>(null);
  const [isRotating, setIsRotating] = useState(false);
  const read = useMutation({
    mutationFn: () => withFreshSignIn(async () => kinora.webhookEndpoints.callbackSecret.get()),
    onSuccess: setShown,
  });
  return (
    <Section
      title="Callbacks for single tasks"
      actions={
        <>
          <Button isBusy={read.isPending} onClick={() => read.mutate()}>
            Show secret
          </Button>
          <Button onClick={() => setIsRotating(true)}>Rotate</Button>
        </>
      }
    >
      <p className="max-w-2xl text-quiet">
        A request can name its own <code className="text-small text-ink">callback_url</code>. Kinora signs these
        callbacks with the callback secret of the project in {mode} mode. The audit log records who views it.
      </p>
      {read.isError && (
        <div className="mt-3">
          <Problem isInline error={read.error} />
        </div>
      )}
      {shown && (
        <Dialog
          isOpen
          isWide
          onClose={() => setShown(null)}
          title="Callback secret"
          lead="Use it to verify the signatures of callbacks, as in Standard Webhooks."
          footer={<Button onClick={() => setShown(null)}>Close</Button>}
        >
          <CodeBlock code={shown.secret} label="Callback secret" />
          {shown.previous_expires_at !== null && (
            <p className="mt-2 text-quiet">
              The previous secret also signs. It expires <Moment at={shown.previous_expires_at} />.
            </p>
          )}
        </Dialog>
      )}
      {isRotating && (
        <RotateSecretDialog
          title="Rotate the callback secret"
          rotate={async (request) => kinora.webhookEndpoints.callbackSecret.rotate(request)}
          onRotated={(secret) => {
            setIsRotating(false);
            setShown({ secret, previous_expires_at: null });
          }}
          onClose={() => setIsRotating(false)}
        />
      )}
    </Section>
  );
}
