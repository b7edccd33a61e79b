// Written by scripts/generate.ts from the description of the API.
export const contract = {
  "requestFields": {
    "prompt": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2000,
      "description": "What the video should show: 1 to 2000 characters after trimming. With a test key, directives in the prompt force an outcome: `[[fail:CODE]]`, `[[fail-once:CODE]]`, `[[delay:SECONDS]]`, `[[stall]]`, `[[lose]]`."
    },
    "image_url": {
      "type": "string",
      "minLength": 1,
      "description": "The image: an https URL, a `data:image/…;base64,` URI or the id of an uploaded file. It must be a JPEG, PNG or WebP with 300 to 6000 pixels per side and a ratio of width to height from 0.4 to 2.5, of at most 20 MB by URL and 10 MB inline. It is fetched once, while the task is created."
    },
    "resolution": {
      "enum": [
        "480p",
        "720p",
        "1080p"
      ],
      "type": "string",
      "description": "The resolution of the video. Default: 720p."
    },
    "aspect_ratio": {
      "enum": [
        "16:9",
        "9:16",
        "4:3",
        "3:4",
        "21:9",
        "1:1"
      ],
      "type": "string",
      "description": "The ratio of width to height. Default: 16:9, or for image to video the one that is nearest to the image."
    },
    "duration": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10,
      "description": "The length of the video in seconds. Default: 5."
    },
    "seed": {
      "type": "integer",
      "minimum": -1,
      "maximum": 9007199254740991,
      "description": "The same request with the same seed makes the same video. If it is -1 or absent, the service chooses a random seed and shows it in the task. Engines receive it modulo 2^32."
    },
    "model": {
      "type": "string",
      "description": "The id or alias of a model. Default: the first model that supports the request."
    },
    "negative_prompt": {
      "type": "string",
      "maxLength": 2000,
      "description": "What the video should not show. If the model cannot use it, the task has a warning."
    },
    "image_fit": {
      "enum": [
        "crop",
        "pad",
        "stretch"
      ],
      "type": "string",
      "description": "How an image of another aspect ratio is fitted into the video. `crop`: its edges are cut off. `pad`: bars are added. `stretch`: it is distorted. Default: crop."
    }
  },
  "listFields": {
    "limit": {
      "type": "integer",
      "minimum": 1,
      "maximum": 100,
      "default": 20,
      "description": "The maximum number of items to return."
    },
    "after": {
      "type": "string",
      "description": "Return the tasks after this id: the `last_id` of the previous page. It must be a task of this project."
    },
    "status": {
      "type": "array",
      "items": {
        "enum": [
          "queued",
          "in_progress",
          "completed",
          "failed",
          "cancelled"
        ],
        "type": "string",
        "description": "`queued`: waiting for an engine. `in_progress`: being rendered. `completed`: the video is ready. `failed`: see `error`. `cancelled`: ended by a request to cancel or delete it. The last three are final."
      },
      "maxItems": 20,
      "description": "Only tasks with this status, or with one of several: `status=failed,cancelled` or `status=failed&status=cancelled`."
    },
    "type": {
      "enum": [
        "text_to_video",
        "image_to_video"
      ],
      "type": "string",
      "description": "Only tasks of this type."
    },
    "model": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200,
      "description": "Only tasks of the model with this id."
    },
    "resolution": {
      "enum": [
        "480p",
        "720p",
        "1080p"
      ],
      "type": "string",
      "description": "Only tasks with this resolution."
    },
    "aspect_ratio": {
      "enum": [
        "16:9",
        "9:16",
        "4:3",
        "3:4",
        "21:9",
        "1:1"
      ],
      "type": "string",
      "description": "Only tasks with this aspect ratio."
    },
    "q": {
      "type": "string",
      "minLength": 1,
      "maxLength": 500,
      "description": "Only tasks whose prompt contains all of these words, in any order and case."
    }
  },
  "task": {
    "type": "object",
    "properties": {
      "task_id": {
        "type": "string",
        "description": "The id of the task. Read the task with `GET /v1/videos/{task_id}`."
      },
      "type": {
        "enum": [
          "text_to_video",
          "image_to_video"
        ],
        "type": "string",
        "description": "What the video is made from: a prompt alone, or a prompt and an image."
      },
      "status": {
        "enum": [
          "queued",
          "in_progress",
          "completed",
          "failed",
          "cancelled"
        ],
        "type": "string",
        "description": "`queued`: waiting for an engine. `in_progress`: being rendered. `completed`: the video is ready. `failed`: see `error`. `cancelled`: ended by a request to cancel or delete it. The last three are final."
      },
      "is_final": {
        "type": "boolean",
        "description": "True once `status` cannot change any more."
      },
      "stage": {
        "type": "string",
        "description": "The current step, or the last one if the task has ended. `waiting`: in the queue. `preparing`: the engine gets the request. `rendering`: the engine works. `finishing`: the video is checked, scaled and stored. More values may be added."
      },
      "progress": {
        "type": "integer",
        "minimum": 0,
        "maximum": 100,
        "description": "Percent done. It never decreases within an attempt, and is 100 only when the task has completed."
      },
      "queue_position": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ],
        "description": "The place in the queue; 1 is next. Null if the task is not waiting, or if its place is not reliably known."
      },
      "estimated_completion_at": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ],
        "description": "When the task will probably complete. Null if the task has ended, or if no reliable estimate exists. Unix seconds."
      },
      "model": {
        "type": "string",
        "description": "The id of the model that renders the video, also if the request named an alias."
      },
      "prompt": {
        "type": "string",
        "description": "The prompt of the request, trimmed."
      },
      "negative_prompt": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ],
        "description": "What the video should not show. Null if none was sent."
      },
      "resolution": {
        "enum": [
          "480p",
          "720p",
          "1080p"
        ],
        "type": "string",
        "description": "The resolution of the video; `size` has its width and height."
      },
      "aspect_ratio": {
        "enum": [
          "16:9",
          "9:16",
          "4:3",
          "3:4",
          "21:9",
          "1:1"
        ],
        "type": "string",
        "description": "The ratio of width to height: the one requested, or the nearest to the input image."
      },
      "duration": {
        "type": "integer",
        "description": "The requested length of the video in seconds."
      },
      "seed": {
        "type": "integer",
        "description": "The seed that is used. The same request with this seed makes the same video."
      },
      "size": {
        "type": "string",
        "description": "Width and height of the video in pixels, such as `1280x720`."
      },
      "created_at": {
        "type": "integer",
        "description": "When the task was accepted. Unix seconds."
      },
      "completed_at": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ],
        "description": "When the task ended: completed, failed or cancelled. Null before that. Unix seconds."
      },
      "expires_at": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ],
        "description": "When the files of the task are deleted. Null unless `status` is `completed`. Unix seconds."
      },
      "video_url": {
        "anyOf": [
          {
            "type": "string",
            "format": "uri"
          },
          {
            "type": "null"
          }
        ],
        "description": "The same as `video.url`. Null unless `status` is `completed`."
      },
      "error": {
        "anyOf": [
          {
            "description": "Why the task failed. Null unless `status` is `failed`.",
            "type": "object",
            "required": [
              "code",
              "message",
              "retryable",
              "stage"
            ],
            "properties": {
              "code": {
                "type": "string",
                "description": "Why the task failed, for programs. The page /docs lists all codes. More values may be added."
              },
              "message": {
                "type": "string",
                "description": "What happened and what to do, for people."
              },
              "retryable": {
                "type": "boolean",
                "description": "Whether a new task with the same request may succeed."
              },
              "stage": {
                "type": "string",
                "description": "The stage in which the task failed."
              }
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "Why the task failed. Null unless `status` is `failed`."
      },
      "warnings": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "code",
            "param",
            "message"
          ],
          "properties": {
            "code": {
              "type": "string",
              "description": "What the warning is about, for programs. The page /docs lists all codes. More values may be added."
            },
            "param": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "null"
                }
              ],
              "description": "The parameter that the warning is about. Null if it is about no single parameter."
            },
            "message": {
              "type": "string",
              "description": "What happened and what to do, for people."
            }
          },
          "description": "The request was accepted, but perhaps not as it was meant."
        },
        "description": "What was accepted but perhaps not as it was meant. Empty if there is nothing to say."
      }
    },
    "required": [
      "task_id",
      "type",
      "status",
      "is_final",
      "stage",
      "progress",
      "queue_position",
      "estimated_completion_at",
      "model",
      "prompt",
      "negative_prompt",
      "resolution",
      "aspect_ratio",
      "duration",
      "seed",
      "size",
      "created_at",
      "completed_at",
      "expires_at",
      "video_url",
      "error",
      "warnings"
    ]
  },
  "model": {
    "type": "object",
    "required": [
      "id",
      "object",
      "created",
      "owned_by",
      "name",
      "description",
      "aliases",
      "available",
      "is_default",
      "capabilities",
      "price",
      "speeds"
    ],
    "properties": {
      "id": {
        "type": "string",
        "description": "The id of the model. Send it as `model`."
      },
      "object": {
        "type": "string",
        "const": "model",
        "description": "Always `model`: the kind of this object."
      },
      "created": {
        "type": "integer",
        "description": "Always 0. OpenAI-compatible clients expect this field."
      },
      "owned_by": {
        "type": "string",
        "const": "kinora",
        "description": "Always `kinora`. OpenAI-compatible clients expect this field."
      },
      "name": {
        "type": "string",
        "description": "The name of the model, for people."
      },
      "description": {
        "type": "string",
        "description": "What the model is good for, in the words of the operator."
      },
      "aliases": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Other names that `model` accepts. A task shows the id."
      },
      "available": {
        "type": "boolean",
        "description": "Whether an engine for this model accepts tasks right now. If not, tasks are still accepted and wait."
      },
      "is_default": {
        "type": "boolean",
        "description": "Whether a request with only a prompt uses this model. Requests with other fields may use another model."
      },
      "capabilities": {
        "type": "object",
        "required": [
          "types",
          "resolutions",
          "aspect_ratios",
          "durations",
          "fps",
          "negative_prompt"
        ],
        "properties": {
          "types": {
            "type": "array",
            "items": {
              "enum": [
                "text_to_video",
                "image_to_video"
              ],
              "type": "string",
              "description": "What the video is made from: a prompt alone, or a prompt and an image."
            },
            "description": "What the model makes videos from."
          },
          "resolutions": {
            "type": "array",
            "items": {
              "enum": [
                "480p",
                "720p",
                "1080p"
              ],
              "type": "string",
              "description": "The resolution of the video; `size` has its width and height."
            },
            "description": "The supported resolutions."
          },
          "aspect_ratios": {
            "type": "array",
            "items": {
              "enum": [
                "16:9",
                "9:16",
                "4:3",
                "3:4",
                "21:9",
                "1:1"
              ],
              "type": "string",
              "description": "The ratio of width to height: the one requested, or the nearest to the input image."
            },
            "description": "The supported aspect ratios."
          },
          "durations": {
            "type": "object",
            "required": [
              "min",
              "max"
            ],
            "properties": {
              "min": {
                "type": "integer",
                "description": "The shortest video, in seconds."
              },
              "max": {
                "type": "integer",
                "description": "The longest video, in seconds."
              }
            },
            "description": "The supported durations."
          },
          "fps": {
            "type": "integer",
            "description": "Frames per second of the finished video."
          },
          "negative_prompt": {
            "type": "boolean",
            "description": "Whether `negative_prompt` has an effect."
          }
        },
        "description": "What the model supports. Every combination of these values is accepted; any other is refused with `unsupported_combination`."
      },
      "price": {
        "anyOf": [
          {
            "description": "The price list of the model. Kinora itself charges nothing. Null if the model has no price.",
            "type": "object",
            "required": [
              "currency",
              "per_second"
            ],
            "properties": {
              "currency": {
                "type": "string",
                "description": "The ISO 4217 code of the currency, such as `USD`."
              },
              "per_second": {
                "type": "object",
                "additionalProperties": {
                  "type": "string"
                },
                "description": "The price of one second of video as a decimal number, by resolution."
              }
            }
          },
          {
            "type": "null"
          }
        ],
        "description": "The price list of the model. Kinora itself charges nothing. Null if the model has no price."
      },
      "speeds": {
        "type": "array",
        "items": {
          "description": "How long recent tasks took, for each resolution and duration with enough completed tasks.",
          "type": "object",
          "required": [
            "resolution",
            "duration",
            "p50_seconds",
            "p90_seconds",
            "samples"
          ],
          "properties": {
            "resolution": {
              "enum": [
                "480p",
                "720p",
                "1080p"
              ],
              "type": "string",
              "description": "The resolution of the measured tasks."
            },
            "duration": {
              "type": "integer",
              "description": "The length of their videos in seconds."
            },
            "p50_seconds": {
              "type": "number",
              "description": "Median seconds from start to completion."
            },
            "p90_seconds": {
              "type": "number",
              "description": "90th percentile of the seconds from start to completion."
            },
            "samples": {
              "type": "integer",
              "description": "The number of measured tasks."
            }
          }
        },
        "description": "How long recent tasks took, for each resolution and duration with enough completed tasks."
      }
    },
    "description": "A model of this installation."
  }
};
