import { type Case, type Column, pageUrl, type World } from './address-case.ts';
import { serveBytes } from './pages.ts';

/** Cases of responses that name an internal URL in their header or body, which Kinora must not follow. */
export function hintCases(column: Column, { internet, nextNumber }: World): Case[] {
  const hinting = (what: string, header: string, body: string): Case => {
    const id = `h${nextNumber()}`;
    internet.serve(
      id,
      serveBytes(
        `HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      ),
    );
    return {
      column,
      position: 'dynamic',
      what,
      url: pageUrl('https', id),
      allowed: column === 'image_url' ? ['content'] : ['fetched'],
      wasCarriedOut: () => internet.served(id) > 0,
    };
  };
  const inside = 'http://169.254.169.254/latest/';
  const html = 'Content-Type: text/html';
  return [
    hinting('a Refresh header', `Refresh: 0; url=${inside}`, 'x'),
    hinting('a Link header', `Link: <${inside}>; rel=preload`, 'x'),
    hinting('an Alt-Svc header', 'Alt-Svc: h2="127.0.0.1:443", h3="127.0.0.1:443"', 'x'),
    hinting('a Content-Location header', `Content-Location: ${inside}`, 'x'),
    hinting('an X-Accel-Redirect header', 'X-Accel-Redirect: /etc/passwd', 'x'),
    hinting('a page that refreshes', html, `<meta http-equiv="refresh" content="0;url=${inside}">`),
    hinting(
      'an SVG that names an image',
      'Content-Type: image/svg+xml',
      `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><image href="${inside}" width="400" height="400"/></svg>`,
    ),
    hinting(
      'an SVG with an external entity',
      'Content-Type: image/svg+xml',
      `<?xml version="1.0"?><!DOCTYPE s [<!ENTITY x SYSTEM "${inside}">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`,
    ),
    hinting(
      'a playlist',
      'Content-Type: application/vnd.apple.mpegurl',
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${inside}\n#EXT-X-ENDLIST\n`,
    ),
    hinting('a playlist that says it is a PNG', 'Content-Type: image/png', `ffconcat version 1.0\nfile ${inside}\n`),
    hinting(
      'an ImageMagick drawing',
      'Content-Type: image/png',
      `push graphic-context\nviewbox 0 0 640 480\nfill 'url(${inside})'\npop graphic-context\n`,
    ),
  ];
}
