#include <png.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "picture/picture.hpp"

namespace cairn {

std::string encodePng(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  if (image.width < 1 || image.height < 1 ||
      image.rgb.size() != 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    throw std::invalid_argument("encodePng: the image's size and its bytes do not agree");
  }
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr)) {
    throw std::runtime_error(std::string("encodePng: ") + header.message);
  }
  bytes.resize(size);
  return bytes;
}

void writePng(const Image& image, const std::string& path) {
  const std::string bytes = encodePng(image);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno ? errno : EIO));
}

}  // namespace cairn
