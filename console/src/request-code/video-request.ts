import type { ImageToVideo, TextToVideo } from '@kinora/sdk';

/** What the console never sends, and the command line cannot say. */
type Unused = 'image_url' | 'callback_events';

/** A request as the console gives it to the SDK. Images are the ids of uploaded files. */
export type VideoRequest = Omit<TextToVideo, Unused> | (Omit<ImageToVideo, Unused | 'image'> & { image: string });

/** Returns the path and the body of the call that the SDK makes of a request. */
export function callOf(request: VideoRequest): { path: string; body: Record<string, unknown> } {
  if (!('image' in request)) return { path: '/v1/videos/text-to-video', body: { ...request } };
  // The SDK takes images of every kind as `image`.
  const fields = Object.entries(request).map(([name, value]) => [name === 'image' ? 'image_url' : name, value]);
  return { path: '/v1/videos/image-to-video', body: Object.fromEntries(fields) };
}
