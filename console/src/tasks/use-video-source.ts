import type { CompletedTask } from '@kinora/sdk';
import { useState } from 'react';

export interface VideoSource {
  taskId: string;
  url: string;
  poster: string | null;
  expiresAt: number;
}

/** Keeps a link while it works, because a new one would restart the player. Null if the files have expired. */
export function useVideoSource({ id, video }: CompletedTask): VideoSource | null {
  const [kept, setKept] = useState<VideoSource | null>(null);
  const isUsable = kept?.taskId === id && kept.expiresAt * 1000 > Date.now();
  if (isUsable) return kept;
  if (video.url === null) return null;
  const fresh = { taskId: id, url: video.url, poster: video.thumbnail_url, expiresAt: video.url_expires_at ?? 0 };
  if (kept?.url !== fresh.url) setKept(fresh);
  return fresh;
}
