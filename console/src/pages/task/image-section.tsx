import type { Task } from '@kinora/sdk';
import { Copyable } from '../../design/copyable.tsx';
import { Facts } from '../../design/facts.tsx';
import { Section } from '../../design/page.tsx';
import { knownImageOfTask } from '../../tasks/known-images.ts';
import { fitImage } from '../create/image-fit.ts';

/** The image that the video starts from. */
export function ImageSection({ task: { image, aspect_ratio } }: { task: Task }) {
  if (!image) return null;
  const known = knownImageOfTask(image.sha256);
  return (
    <Section title="Image">
      <div className="flex flex-wrap gap-4">
        {known?.preview && (
          <img src={known.preview} alt="The first frame" className="max-h-40 max-w-60 rounded-small" />
        )}
        <Facts
          facts={[
            ['Size', `${image.width}×${image.height}`],
            ['Fit', `${image.fit}: ${fitImage(image, aspect_ratio, image.fit).words}`],
            [
              'SHA-256',
              <Copyable key="hash" text={image.sha256} label="hash" shown={`${image.sha256.slice(0, 16)}…`} />,
            ],
            known ? null : ['Preview', 'Not available: the API does not return images.'],
          ]}
        />
      </div>
    </Section>
  );
}
