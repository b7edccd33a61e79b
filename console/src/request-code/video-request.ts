import type { ImageToVideo, TextToVideo } from '@kinora/sdk';

/** A request as the console gives it to the SDK. Images are the ids of uploaded files. */
export type VideoRequest = TextToVideo | (Omit<ImageToVideo, 'image'> & { image: string });

/** Returns the path and the body of the call that the SDK makes of a request. */
export function callOf(request: VideoRequest): { path: string; body: Record<string, unknown> } {
  if (!('image' in request)) return { path: '/v1/videos/text-to-video', body: { ...request } };
  const { image, ...rest } = request;
  return { path: '/v1/videos/image-to-video', body: { ...rest, image_url: image } };
}
