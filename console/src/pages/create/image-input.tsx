import { ImagePlus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { formatBytes } from '../../design/format.ts';
import { Segments } from '../../design/segments.tsx';
import { Problem } from '../../design/states.tsx';
import type { KnownImage } from '../../tasks/known-images.ts';
import { type AspectRatio, type Fitted, fitImage, type ImageFit } from './image-fit.ts';
import { type ImageUpload, RefusedImage } from './use-image-upload.ts';

const fitOptions = [
  { value: 'crop', label: 'Crop' },
  { value: 'pad', label: 'Pad' },
  { value: 'stretch', label: 'Stretch' },
] as const;

/** The image that the video starts from: chosen, dropped or pasted; with what the aspect ratio will do to it. */
export function ImageInput({
  upload,
  isOver,
  ratio,
  fit,
  onFit,
  onRemove,
  isSupported,
  problem,
}: {
  upload: ImageUpload;
  isOver: boolean;
  ratio: AspectRatio;
  fit: ImageFit;
  onFit: (fit: ImageFit) => void;
  onRemove: () => void;
  isSupported: boolean;
  problem: string | undefined;
}) {
  const input = useRef<HTMLInputElement>(null);
  const { image, isBusy, error } = upload;
  const refusal = error instanceof RefusedImage ? error.message : problem;
  return (
    <section aria-label="Image">
      <div className="mb-1 text-small font-medium text-quiet">Image</div>
      <input
        ref={input}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        aria-label="Choose an image"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) void upload.upload(file);
          event.target.value = '';
        }}
      />
      {image ? (
        <Chosen image={image} ratio={ratio} fit={fit} onFit={onFit} onRemove={onRemove} />
      ) : (
        <div
          className={classes(
            'flex items-center gap-3 rounded-box border border-dashed p-3',
            isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
          )}
        >
          <ImagePlus className="size-5 shrink-0 text-quiet" />
          <p className="min-w-0 grow text-small text-quiet">
            {isOver
              ? 'Drop the image to start from it.'
              : 'Optional: an image for the first frame. Drop or paste it here.'}
          </p>
          <Button isBusy={isBusy} disabled={!isSupported} onClick={() => input.current?.click()}>
            {isBusy ? 'Uploading' : 'Choose'}
          </Button>
        </div>
      )}
      {!isSupported && (
        <p className={classes('mt-1 text-small', image ? 'text-failed' : 'text-quiet')}>
          This model makes videos from text only.
        </p>
      )}
      {refusal && <p className="mt-1 text-small text-failed">{refusal}</p>}
      {error !== null && !(error instanceof RefusedImage) && (
        <div className="mt-2">
          <Problem error={error} isInline />
        </div>
      )}
    </section>
  );
}

function Chosen({
  image: { file, preview },
  ratio,
  fit,
  onFit,
  onRemove,
}: {
  image: KnownImage;
  ratio: AspectRatio;
  fit: ImageFit;
  onFit: (fit: ImageFit) => void;
  onRemove: () => void;
}) {
  const fitted = fitImage(file, ratio, fit);
  const isExact =
    fitted.kept.width === 1 && fitted.kept.height === 1 && fitted.filled.width === 1 && fitted.filled.height === 1;
  return (
    <div className="flex gap-3 rounded-box border border-line-strong p-3">
      {preview && <KeptPart preview={preview} fitted={fitted} name={file.filename ?? 'image'} />}
      <div className="flex min-w-0 grow flex-col gap-1.5">
        <div className="flex items-start gap-1">
          <div className="min-w-0 grow">
            <p className="truncate font-medium" title={file.filename ?? undefined}>
              {file.filename ?? 'Uploaded image'}
            </p>
            <p className="text-small text-quiet">
              {file.width}×{file.height}, {formatBytes(file.size_bytes)}
            </p>
          </div>
          <IconButton label="Remove the image" onClick={onRemove} className="-mt-1 -mr-1">
            <X />
          </IconButton>
        </div>
        {!(isExact && fit === 'crop') && (
          <div className="flex">
            <Segments label="Image fit" options={fitOptions} value={fit} onChange={onFit} />
          </div>
        )}
        <p className="text-small text-quiet" aria-live="polite">
          {fitted.words}
        </p>
      </div>
    </div>
  );
}

/** The whole image; what will be cut off is dimmed. */
function KeptPart({ preview, fitted: { kept }, name }: { preview: string; fitted: Fitted; name: string }) {
  const inset = {
    left: `${((1 - kept.width) / 2) * 100}%`,
    right: `${((1 - kept.width) / 2) * 100}%`,
    top: `${((1 - kept.height) / 2) * 100}%`,
    bottom: `${((1 - kept.height) / 2) * 100}%`,
  };
  return (
    <div className="relative max-h-32 shrink-0 self-start overflow-hidden rounded-small">
      <img src={preview} alt={name} className="block max-h-32 max-w-28 object-contain opacity-35" />
      <img
        src={preview}
        alt=""
        className="absolute inset-0 size-full"
        style={{ clipPath: `inset(${inset.top} ${inset.right})` }}
      />
      <div className="absolute border border-accent" style={inset} />
    </div>
  );
}
