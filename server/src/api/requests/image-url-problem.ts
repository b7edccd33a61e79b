import type { Problem } from '../../http/problems.ts';

const maximumUrlLength = 8192;
const dataUri = /^data:image\/[a-z0-9.+-]+;base64,/i;

/** Returns what is wrong with the form of an image_url. The image itself is checked when it is fetched. */
export function imageUrlProblem(imageUrl: string, { allowHttp }: { allowHttp: boolean }): Problem | null {
  // Whether the project has such a file is checked when the file is used.
  if (imageUrl.startsWith('file_') && imageUrl.length <= maximumUrlLength) return null;
  if (/^data:/i.test(imageUrl)) {
    if (dataUri.test(imageUrl)) return null;
    return problem('malformed', 'image_url must begin with data:image/…;base64, if it is a data URI');
  }
  if (imageUrl.length > maximumUrlLength)
    return problem('too_long', `image_url must be at most ${maximumUrlLength} characters if it is a URL`);
  const url = URL.parse(imageUrl);
  if (url === null)
    return problem(
      'malformed',
      'image_url must be an https URL, a data:image/…;base64, URI or the id of an uploaded file',
    );
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) {
    return problem(
      'not_allowed',
      'image_url must be an https URL, a data:image/…;base64, URI or the id of an uploaded file; other schemes are not fetched',
    );
  }
  if (url.username !== '' || url.password !== '') {
    return problem('not_allowed', 'image_url must not contain a user name or password');
  }
  return null;
}

function problem(code: string, message: string): Problem {
  return { error: 'invalid_parameter', param: 'image_url', code, message };
}
