import { type Static, Type } from 'typebox';
import { deletedMark, nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';

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
    id: Type.String({ description: 'The id of the file. Send it as `image_url` when you create a video.' }),
    object: objectKind('file'),
    filename: nullable(Type.String({ description: 'The file name of the upload. Null if it had none.' })),
    content_type: Type.String({ description: 'The media type of the stored image: `image/png`.' }),
    bytes: Type.Integer({ description: 'The same as `size_bytes`.' }),
    size_bytes: Type.Integer({ description: 'The size of the stored image in bytes.' }),
    sha256: Type.String({
      description:
        'The SHA-256 hash of the stored image, in hexadecimal. It is the `image.sha256` of tasks that use the file.',
    }),
    width: Type.Integer({ description: 'The width of the stored image in pixels.' }),
    height: Type.Integer({ description: 'The height of the stored image in pixels.' }),
    created_at: unixSeconds('When the file was uploaded.'),
    expires_at: unixSeconds('When the file is deleted, 24 hours after the upload. Tasks that use it keep a copy.'),
  },
  {
    $id: 'File',
    description: 'An uploaded image. The service stores it upright, without metadata, as PNG.',
    examples: [exampleFile],
  },
);

export type PublicFile = Static<typeof fileSchema>;

export const deletedFileSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the deleted file.' }),
    object: objectKind('file.deleted'),
    deleted: deletedMark(),
  },
  {
    $id: 'DeletedFile',
    description: 'Confirmation that a file is deleted.',
    examples: [{ id: exampleFile.id, object: 'file.deleted', deleted: true }],
  },
);

/** There is no pattern: a malformed id is not found, like any other unknown id. */
export const fileIdParameter = Type.Object({
  file_id: Type.String({ description: 'The `id` of an uploaded file.', examples: [exampleFile.id] }),
});

export const uploadSchema = Type.Object(
  {
    file: Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      description:
        'A JPEG, PNG or WebP of at most 20 MB and 40 megapixels, with 300 to 6000 pixels per side and a ratio of ' +
        'width to height from 0.4 to 2.5.',
    }),
    purpose: Type.Optional(
      Type.String({ description: 'Accepted for OpenAI-compatible clients and ignored, like any other field.' }),
    ),
  },
  { $id: 'FileUpload', description: 'A form with the image in a part named `file`.' },
);
