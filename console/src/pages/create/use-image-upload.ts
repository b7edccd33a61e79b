import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { type KnownImage, knownImage, previewOf, rememberImage } from '../../tasks/known-images.ts';

export interface ImageUpload {
  /** The image of the form; its preview is empty if it was uploaded in another tab. */
  image: KnownImage | null;
  isBusy: boolean;
  error: unknown;
  upload(file: File): Promise<void>;
}

const maxMegabytes = 20;

/** Uploads images, and finds the image of the form again after a reload. */
export function useImageUpload(fileId: string | null, onUploaded: (fileId: string) => void): ImageUpload {
  const { kinora, key } = useProject();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const known = fileId === null ? null : knownImage(fileId);
  const found = useQuery({
    queryKey: [...key, 'file', fileId],
    queryFn: ({ signal }) => kinora.files.get(fileId ?? '', { signal }),
    enabled: fileId !== null && known === null,
  });
  const upload = async (file: File): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      if (!['image/jpeg', 'image/png', 'image/webp'].includes(file.type)) {
        throw new RefusedImage('Choose a JPEG, PNG or WebP image.');
      }
      if (file.size > maxMegabytes * 1_000_000) throw new RefusedImage(`The image is larger than ${maxMegabytes} MB.`);
      const preview = await previewOf(file).catch(() => {
        throw new RefusedImage('The image is damaged. Save it again with another program.');
      });
      const uploaded = await kinora.files.upload(file);
      rememberImage({ file: uploaded, preview });
      onUploaded(uploaded.id);
    } catch (cause) {
      setError(cause);
    }
    setIsBusy(false);
  };
  const image = known ?? (found.data ? { file: found.data, preview: '' } : null);
  return {
    image: fileId === null ? null : image,
    isBusy,
    error: error ?? (fileId === null ? null : found.error),
    upload,
  };
}

/** An image that the page refuses itself, before it is sent. */
export class RefusedImage extends Error {}
