import type { SharedV4Warning } from '@ai-sdk/provider';
import type { TextToVideo } from '@kinora/sdk';

type Resolution = NonNullable<TextToVideo['resolution']>;
type AspectRatio = NonNullable<TextToVideo['aspect_ratio']>;

/** The sizes that the service delivers. */
export const sizes = {
  '480p': {
    '16:9': '854x480',
    '9:16': '480x854',
    '4:3': '640x480',
    '3:4': '480x640',
    '21:9': '1120x480',
    '1:1': '480x480',
  },
  '720p': {
    '16:9': '1280x720',
    '9:16': '720x1280',
    '4:3': '960x720',
    '3:4': '720x960',
    '21:9': '1680x720',
    '1:1': '720x720',
  },
  '1080p': {
    '16:9': '1920x1080',
    '9:16': '1080x1920',
    '4:3': '1440x1080',
    '3:4': '1080x1440',
    '21:9': '2520x1080',
    '1:1': '1080x1080',
  },
} as const satisfies Record<Resolution, Record<AspectRatio, string>>;

// Object.keys returns strings, although the keys of the literal are known.
const resolutions = Object.keys(sizes) as Resolution[];
const ratios = Object.keys(sizes['480p']) as AspectRatio[];

/** The AI SDK's `resolution` and `aspectRatio`, as the service's fields. */
export interface RequestedSize {
  resolution?: Resolution;
  aspect_ratio?: AspectRatio;
}

/**
 * Finds the resolution and aspect ratio. The AI SDK's type asks for pixels, such as `1280x720`; `720p`, which people
 * write first, is accepted too. An unsupported value is left to the service's default, with a warning.
 */
export function sizeOf(
  { resolution, aspectRatio }: { resolution: string | undefined; aspectRatio: string | undefined },
  hasImage: boolean,
): { size: RequestedSize; warnings: SharedV4Warning[] } {
  const warnings: SharedV4Warning[] = [];
  const size = resolution === undefined ? {} : sizeNamed(resolution);
  if (resolution !== undefined && size.resolution === undefined) {
    const all = resolutions.flatMap((name) => Object.values(sizes[name])).join(', ');
    const supported = `${resolutions.join(', ')}, ${all}`;
    warnings.push(unsupported('resolution', `${resolution} is not supported. Supported: ${supported}.`));
  }
  if (aspectRatio === undefined) return { size, warnings };
  if (aspectRatio === 'adaptive') {
    if (!hasImage) warnings.push(unsupported('aspectRatio', 'Without an image there is nothing to adapt to.'));
    else delete size.aspect_ratio; // the service picks the ratio nearest to the image's
    return { size, warnings };
  }
  const ratio = ratios.find((known) => known === aspectRatio);
  if (ratio === undefined) {
    warnings.push(unsupported('aspectRatio', `${aspectRatio} is not one of ${ratios.join(', ')}.`));
    return { size, warnings };
  }
  if (size.resolution !== undefined && size.aspect_ratio !== undefined && size.aspect_ratio !== ratio) {
    const delivered = sizes[size.resolution][ratio];
    const message = `resolution ${resolution} is ${size.aspect_ratio}, aspectRatio says ${ratio}: it will be ${delivered}.`;
    warnings.push({ type: 'other', message });
  }
  return { size: { ...size, aspect_ratio: ratio }, warnings };
}

/** Returns the resolution named `720p`, or the resolution and ratio of `1280x720`; nothing for other names. */
function sizeNamed(name: string): RequestedSize {
  for (const resolution of resolutions) {
    if (resolution === name) return { resolution };
    for (const ratio of ratios) if (sizes[resolution][ratio] === name) return { resolution, aspect_ratio: ratio };
  }
  return {};
}

function unsupported(feature: string, details: string): SharedV4Warning {
  return { type: 'unsupported', feature, details };
}
