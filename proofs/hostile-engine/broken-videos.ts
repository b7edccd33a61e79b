interface BrokenVideo {
  name: string;
  breakIt: (video: Buffer, canaryUrl: string) => Buffer;
  /** Some decoders can play it, so the task may complete. */
  mayPass?: true;
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Broken files that the engine delivers as a video. */
export const brokenVideos: readonly BrokenVideo[] = [
  { name: 'success without a file', breakIt: () => Buffer.alloc(0) },
  { name: 'a file of one byte', breakIt: () => Buffer.from([0]) },
  { name: 'an MP4 that ends after its first box', breakIt: (video) => video.subarray(0, 32) },
  { name: 'an MP4 without its index', breakIt: (video) => rename(video, 'moov', 'zqzq') },
  {
    name: 'an MP4 without its media',
    breakIt: (video) => rename(video, 'mdat', 'free').subarray(0, video.indexOf('mdat')),
  },
  { name: 'an MP4 whose media is noise', breakIt: noise },
  {
    name: 'an MP4 with a box of no size',
    breakIt: (video) => patch(video, 'moov', -4, Buffer.alloc(4, 0xff)),
    mayPass: true,
  },
  { name: 'an MP4 whose video is called audio', breakIt: (video) => rename(video, 'vide', 'soun') },
  { name: 'an MP4 of an unknown codec', breakIt: (video) => rename(video, 'avc1', 'zqzq') },
  {
    name: 'an MP4 with a million frames in its table',
    breakIt: (video) => patch(video, 'stts', 12, Buffer.from([0x00, 0x0f, 0x42, 0x40])),
    mayPass: true,
  },
  { name: 'an MP4 with bytes flipped', breakIt: flip, mayPass: true },
  { name: 'zeros', breakIt: () => Buffer.alloc(100_000) },
  { name: 'a picture', breakIt: () => png },
  {
    name: 'a playlist that names a forbidden address',
    breakIt: (_, canaryUrl) => Buffer.from(`#EXTM3U\n#EXTINF:1,\n${canaryUrl}\n#EXT-X-ENDLIST\n`),
  },
  { name: 'a list of files on the disk', breakIt: () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n") },
  { name: 'a page', breakIt: () => Buffer.from('<html>the video expired</html>') },
];

function rename(video: Buffer, from: string, to: string): Buffer {
  return patch(video, from, 0, Buffer.from(to, 'latin1'));
}

/** Puts bytes at a distance from a box's name. */
function patch(video: Buffer, name: string, distance: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(video);
  const at = copy.indexOf(name, name === 'avc1' ? copy.indexOf('moov') : 0, 'latin1'); // a brand has that name too
  if (at >= 0) bytes.copy(copy, at + distance);
  return copy;
}

function noise(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  for (let at = copy.indexOf('mdat') + 4; at < copy.length; at += 1) copy[at] = (at * 167 + 13) % 251;
  return copy;
}

function flip(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  for (let at = 40; at < copy.length; at += 97) copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}
