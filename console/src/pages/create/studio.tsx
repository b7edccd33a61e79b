import { KinoraError, type Model } from '@kinora/sdk';
import { Clapperboard, RotateCcw } from 'lucide-react';
import { useRef } from 'react';
import { useProject } from '../../api/project.tsx';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { TextArea } from '../../design/field.tsx';
import { Section } from '../../design/page.tsx';
import { Problem } from '../../design/states.tsx';
import { CodeTabs } from '../../request-code/code-tabs.tsx';
import { MadeTasks, Outlines } from './canvas-area.tsx';
import { offerOf, requestOf, rollSeed, seedsOf, shownRatio } from './create-form.ts';
import { EstimateLine } from './estimate-line.tsx';
import { ImageInput } from './image-input.tsx';
import { PromptInput } from './prompt-input.tsx';
import { ShapeFields } from './shape-fields.tsx';
import { useCreateForm } from './use-create-form.ts';
import { useEstimate } from './use-estimate.ts';
import { useImageFiles } from './use-image-files.ts';
import { useImageUpload } from './use-image-upload.ts';
import { useSend } from './use-send.ts';

/** The form and the canvas. */
export function Studio({ models }: { models: readonly Model[] }) {
  const { api_url } = useSession();
  const { livemode } = useProject();
  const { form, tasks, change, setTasks } = useCreateForm();
  const canvas = useRef<HTMLDivElement>(null);
  const offer = offerOf(models, form.model);
  const upload = useImageUpload(form.image, (image) => change({ image }));
  const isOver = useImageFiles((file) => void upload.upload(file));
  const ratio = shownRatio(form, offer, upload.image?.file ?? null);
  const request = requestOf(form, ratio, offer);
  const estimate = useEstimate(request);
  const { send, isSending, error, forget } = useSend(setTasks);

  const problems = [error, request.prompt === '' ? null : estimate.error].filter((one) => one instanceof KinoraError);
  const shownFields = ['prompt', 'negative_prompt', 'model', 'resolution', 'aspect_ratio', 'duration', 'seed', 'image'];
  const problemOf = (param: string): string | undefined =>
    problems.flatMap(({ details }) => details).find((detail) => detail.param === param)?.message;
  const isAtFields = (one: KinoraError): boolean =>
    one.details.length > 0 && one.details.every(({ param }) => shownFields.includes(param));
  const general = [error, estimate.error].find((one) => one && !(one instanceof KinoraError && isAtFields(one)));

  const needsImage = form.image === null && !offer.types.includes('text_to_video');
  const isReady = request.prompt !== '' && !upload.isBusy && !needsImage;
  const make = async (): Promise<void> => {
    if (!isReady || isSending) return;
    const requests = seedsOf(form, rollSeed).map((seed) => requestOf(form, ratio, offer, seed));
    if (!form.isSeedLocked) change({ seed: rollSeed() });
    // On a phone the canvas is below the form.
    canvas.current?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    await send(requests);
  };
  const edit: typeof change = (changes) => {
    forget();
    change(changes);
  };

  return (
    <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(340px,420px)_minmax(0,1fr)]">
      <form
        aria-label="Request"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <PromptInput
          value={form.prompt}
          onChange={(prompt) => edit({ prompt })}
          onSend={() => void make()}
          isTest={!livemode}
          problem={problemOf('prompt')}
        />
        <ImageInput
          upload={upload}
          isOver={isOver}
          ratio={ratio}
          fit={form.imageFit}
          onFit={(imageFit) => edit({ imageFit })}
          onRemove={() => edit({ image: null })}
          isSupported={offer.types.includes('image_to_video')}
          problem={problemOf('image') ?? (needsImage ? 'This model needs an image.' : undefined)}
        />
        <ShapeFields form={form} change={edit} models={models} offer={offer} ratio={ratio} problemOf={problemOf} />
        {offer.hasNegativePrompt && (
          <TextArea
            label="Negative prompt"
            rows={2}
            placeholder="What the video should not show"
            value={form.negativePrompt}
            onChange={(negativePrompt) => edit({ negativePrompt })}
            problem={problemOf('negative_prompt')}
          />
        )}
        <div className="sticky bottom-15 z-10 -mx-4 flex flex-col gap-3 border-t bg-ground px-4 py-3 md:bottom-0 md:mx-0 md:px-0">
          {general !== undefined && <Problem error={general} isInline />}
          {request.prompt !== '' &&
            estimate.data?.warnings.map(({ code, message }) => (
              <p key={code + message} className="text-small text-quiet">
                {message}
              </p>
            ))}
          <EstimateLine
            estimate={request.prompt === '' || estimate.isError ? undefined : estimate.data}
            models={models}
            count={form.count}
            isStale={estimate.isPlaceholderData || estimate.isFetching}
            missing={request.prompt === '' ? 'Write a prompt' : estimate.isError ? 'No estimate' : '…'}
          />
          <Button look="primary" type="submit" isBusy={isSending} disabled={!isReady} className="h-9 text-read">
            <Clapperboard />
            {isSending ? 'Sending' : form.count > 1 ? `Create ${form.count} videos` : 'Create video'}
            <kbd className="ml-1 text-small opacity-70 max-md:hidden">⌘↵</kbd>
          </Button>
        </div>
      </form>
      <div ref={canvas} className="min-w-0">
        {tasks.length > 0 ? (
          <MadeTasks
            ids={tasks}
            image={upload.image}
            onKeepSeed={(seed) => edit({ seed, isSeedLocked: true, count: 1 })}
          />
        ) : (
          <Outlines
            count={form.count}
            ratio={ratio}
            size={request.prompt === '' ? null : (estimate.data?.request.size ?? null)}
            image={upload.image}
            fit={form.imageFit}
          />
        )}
        {tasks.length > 0 && (
          <Button look="quiet" className="mt-2 -ml-2" onClick={() => setTasks([])}>
            <RotateCcw /> Clear the canvas
          </Button>
        )}
        <div className="mt-8">
          <Section title="The same request as code">
            <CodeTabs request={request} apiUrl={api_url} />
          </Section>
        </div>
      </div>
    </div>
  );
}
