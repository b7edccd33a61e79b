import { type Static, Type } from 'typebox';
import { nullable, unixSeconds } from './schema-parts.ts';

const exampleFile = {
  id: 'file_01k9zqv3x4e8rb6t7y2m5n0p1q',
  object: 'file',
  filename: 'boat.jpg',
  content_type: 'image/png',
  bytes: 1_482_113,
  size_bytes: 1_482_113,
  sha256: '3f0c1f4cbd1dbd9f0dc1ab6a1e1f0a2b5c6d7e8f90a1b2c3d4e5f60718293a4b',
  width: 1280,
  height: 720,
  created_at: 1_794_700_000,
  expires_at: 1_794_786_400,
} as const;

export const fileSchema = Type.Object(
  {
    id: Type.String({ description: 'Send it as `image_url` of a create.' }),
    object: Type.Literal('file'),
    filename: nullable(Type.String({ description: 'The name that it was uploaded under.' })),
    content_type: Type.String({ description: 'Of the image as it is kept.' }),
    bytes: Type.Integer({ description: 'The same as size_bytes.' }),
    size_bytes: Type.Integer({ description: 'Of the image as it is kept.' }),
    sha256: Type.String({ description: 'Of the image as it is kept; `image.sha256` of the tasks that use it.' }),
    width: Type.Integer(),
    height: Type.Integer(),
    created_at: unixSeconds('When it was uploaded.'),
    expires_at: unixSeconds('When it goes, a day later. Tasks that use it keep a copy.'),
  },
  {
    $id: 'File',
    description: 'An uploaded image: upright, without metadata, as PNG.',
    examples: [exampleFile],
  },
);

export type PublicFile = Static<typeof fileSchema>;

export const deletedFileSchema = Type.Object(
  { id: Type.String(), object: Type.Literal('file.deleted'), deleted: Type.Literal(true) },
  {
    $id: 'DeletedFile',
    description: 'Word that a file is gone.',
    examples: [{ id: exampleFile.id, object: 'file.deleted', deleted: true }],
  },
);

/** There is no pattern: a malformed id is not found, like any other unknown id. */
export const fileIdParameter = Type.Object({
  file_id: Type.String({ description: 'The id that the upload answered with.', examples: [exampleFile.id] }),
});

export const uploadSchema = Type.Object(
  {
    file: Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      description:
        'A JPEG, PNG or WebP of at most 20 MB: 300 to 6000 px a side, ratio 0.4 to 2.5, at most 40 megapixels.',
    }),
    purpose: Type.Optional(Type.String({ description: 'Ignored, as any other field.' })),
  },
  { $id: 'FileUpload', description: 'A form with the image in a part named `file`.' },
);
