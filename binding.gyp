{
  # Where scripts/prebuild.sh has put a static libqpdf. Empty: the system's is used.
  "variables": { "qpdf_static%": "" },
  "targets": [
    {
      "target_name": "offloop",
      "dependencies": ["<!(node -p \"require('node-addon-api').targets\"):node_addon_api_except"],
      "defines": ["NAPI_VERSION=8", "OPENSSL_API_COMPAT=30000", "OPENSSL_NO_DEPRECATED"],
      "include_dirs": ["src"],
      "sources": [
        "src/addon.c",
        "src/args.c",
        "src/env.c",
        "src/errors.c",
        "src/hold.c",
        "src/job.c",
        "src/op_checksum.c",
        "src/op_cipher.c",
        "src/op_file.c",
        "src/op_hash.c",
        "src/op_hmac.c",
        "src/op_recrypt.c",
        "src/op_stream.c",
        "src/op_write.c",
        "src/operations.c",
        "src/pool.c",
        "src/store.cc",
        "src/core/cipher.c",
        "src/core/contexts.c",
        "src/core/cpu.c",
        "src/core/crc.c",
        "src/core/crc_clmul.c",
        "src/core/crc_pmull.c",
        "src/core/crc_slice.c",
        "src/core/crc_vpclmul.c",
        "src/core/digest.c",
        "src/core/file.c",
        "src/core/once.c",
        "src/core/status.c",
        "src/core/stream.c",
        "src/core/stream_cipher.c",
        "src/core/stream_digest.c",
        "src/pdf/big_stack.c",
        "src/pdf/engine.c",
        "src/pdf/fast.c",
        "src/pdf/fast_crypt.c",
        "src/pdf/fast_decode.c",
        "src/pdf/fast_inflate.c",
        "src/pdf/fast_plan.c",
        "src/pdf/fast_plan_layout.c",
        "src/pdf/fast_plan_object.c",
        "src/pdf/fast_plan_packed.c",
        "src/pdf/fast_source.c",
        "src/pdf/lanes.c",
        "src/pdf/lanes_arm.c",
        "src/pdf/lanes_rc4.c",
        "src/pdf/lanes_schedule.c",
        "src/pdf/lanes_x86.c",
        "src/pdf/lexer.c",
        "src/pdf/objects.c",
        "src/pdf/rc4.c",
        "src/pdf/recrypt.cc",
        "src/pdf/recrypt_io.cc",
        "src/pdf/recrypt_limits.cc",
        "src/pdf/recrypt_security.cc",
        "src/pdf/rewrite.c",
        "src/pdf/source_file.c",
        "src/pdf/standard_handler.c",
        "src/pdf/standard_hash.c",
        "src/pdf/target_file.c",
        "src/pdf/xref.c"
      ],
      "cflags": ["-Wall", "-Wextra", "-fvisibility=hidden", "-O3"],
      "cflags_c": ["-std=gnu11"],
      "cflags_cc": ["-std=gnu++17"],
      # libqpdf asks objects of ours what they are (dynamic_cast).
      "cflags_cc!": ["-fno-rtti"],
      "xcode_settings": { "GCC_ENABLE_CPP_RTTI": "YES" },
      "conditions": [
        # Without -z now, a function that this Node lacks would end the process when it is called,
        # instead of failing the load.
        ["OS=='linux'", { "ldflags": ["-Wl,-z,nodelete", "-Wl,-z,now"] }],
        ["qpdf_static==''", {
          "cflags_cc": ["<!@(pkg-config --cflags libqpdf)"],
          "libraries": ["<!@(pkg-config --libs libqpdf)"]
        }, {
          "sources": ["scripts/prebuild/glibc.c", "scripts/prebuild/statics.c"],
          "cflags_cc": ["-isystem", "<(qpdf_static)/include"],
          "cflags": [
            "-ffunction-sections", "-fdata-sections", "-fstack-protector-strong",
            "-ffile-prefix-map=<(qpdf_static)=."
          ],
          "libraries": ["<(qpdf_static)/lib/libqpdf.a", "<(qpdf_static)/lib/libjpeg.a"],
          "ldflags": [
            "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections",
            "-Wl,--version-script=<(module_root_dir)/scripts/prebuild/exports.map",
            "-Wl,-z,relro", "-Wl,-s"
          ]
        }]
      ]
    }
  ]
}
